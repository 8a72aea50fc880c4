//go:build vm

package suite

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A kcore reads the kernel's memory by address, as ELF's core files have it: what
// tsnoop shows is compared with it, so it has nothing of tsnoop's.
type kcore struct {
	f        *os.File
	segments []*elf.Prog
	order    binary.ByteOrder
	symbols  map[string]uint64
}

func openKcore(t *testing.T, symbols ...string) *kcore {
	t.Helper()
	f, err := os.Open("/proc/kcore")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	e, err := elf.NewFile(f)
	if err != nil {
		t.Fatal(err)
	}
	k := &kcore{f: f, order: e.ByteOrder, symbols: map[string]uint64{}}
	for _, p := range e.Progs {
		if p.Type == elf.PT_LOAD {
			k.segments = append(k.segments, p)
		}
	}
	list := output(t, "/proc/kallsyms")
	for _, name := range symbols {
		if k.symbols[name], err = strconv.ParseUint(symbolAddress(t, list, name), 16, 64); err != nil || k.symbols[name] == 0 {
			t.Fatalf("/proc/kallsyms does not tell where %s is: %v", name, err)
		}
	}
	return k
}

// symbolAddress is where a symbol of the kernel itself is, as the list /proc/kallsyms
// writes it: "ffffffff82a0c940 D init_task". To take all lines apart is a second's work.
func symbolAddress(t *testing.T, list, name string) string {
	t.Helper()
	before, _, ok := strings.Cut(list, " "+name+"\n")
	if !ok {
		t.Fatalf("no %s in /proc/kallsyms", name)
	}
	address, _, _ := strings.Cut(before[strings.LastIndexByte(before, '\n')+1:], " ")
	return address
}

// read reads n bytes at an address; false if the core has none there.
func (k *kcore) read(addr uint64, n int) ([]byte, bool) {
	for _, s := range k.segments {
		if addr >= s.Vaddr && addr-s.Vaddr < s.Memsz && uint64(n) <= s.Memsz-(addr-s.Vaddr) {
			b := make([]byte, n)
			_, err := k.f.ReadAt(b, int64(s.Off+(addr-s.Vaddr)))
			return b, err == nil
		}
	}
	return nil, false
}

// word reads an integer of 1, 2, 4 or 8 bytes.
func (k *kcore) word(addr uint64, size int) (uint64, bool) {
	b, ok := k.read(addr, size)
	if !ok {
		return 0, false
	}
	return k.integer(b), true
}

func (k *kcore) integer(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(k.order.Uint16(b))
	case 4:
		return uint64(k.order.Uint32(b))
	case 8:
		return k.order.Uint64(b)
	}
	panic(fmt.Sprintf("an integer of %d bytes", len(b)))
}

// text reads up to a NUL, at most n bytes.
func (k *kcore) text(addr uint64, n int) (string, bool) {
	var text []byte
	for len(text) < n {
		b, ok := k.read(addr+uint64(len(text)), min(n-len(text), 64, int(4096-(addr+uint64(len(text)))%4096)))
		if !ok {
			return "", false
		}
		if i := strings.IndexByte(string(b), 0); i >= 0 {
			return string(append(text, b[:i]...)), true
		}
		text = append(text, b...)
	}
	return string(text), true
}

package symbols

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestUsedSymbols: what the addresses in some memory are called, the lines that are kept
// show as all lines do, wherever in the memory an address is.
func TestUsedSymbols(t *testing.T) {
	all, err := parseList([]byte(symbols))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		var order binary.AppendByteOrder = binary.LittleEndian
		big := random.IntN(2) == 0
		if big {
			order = binary.BigEndian
		}
		var memory []byte
		var addrs []uint64
		for range random.IntN(4) {
			at := all.syms[random.IntN(len(all.syms))].addr + uint64(random.IntN(0x1100))
			addrs = append(addrs, at)
			memory = order.AppendUint64(append(memory, make([]byte, random.IntN(9))...), at)
		}
		used := NewUsed([]byte(symbols))
		used.Scan(memory, big)
		some, err := parseList(used.Text())
		if err != nil {
			t.Fatal(err)
		}
		for _, addr := range addrs {
			for _, addr := range []uint64{addr, addr - 1} {
				name, module, off, ok := all.Name(addr)
				gotName, gotModule, gotOff, gotOK := some.Name(addr)
				if name != gotName || module != gotModule || off != gotOff || ok != gotOK || all.IsCode(addr) != some.IsCode(addr) {
					t.Fatalf("%#x is %s+%#x [%s], was %s+%#x [%s], from\n%s", addr, gotName, gotOff, gotModule, name, off, module, used.Text())
				}
			}
		}
	}
}

// TestUsedSymbolsNone: without addresses only the bounds are left, also of a table that
// hides them.
func TestUsedSymbolsNone(t *testing.T) {
	used := NewUsed([]byte(symbols))
	used.Scan(make([]byte, 4096), false)
	const want = "ffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff82000000 B _end\n"
	if got := string(used.Text()); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	hidden := NewUsed([]byte("0000000000000000 T _stext\n0000000000000000 T vfs_open\n"))
	hidden.Scan([]byte(strings.Repeat("\xff", 64)), false)
	if _, err := parseList(hidden.Text()); err != ErrHidden {
		t.Errorf("got error %v, want ErrHidden", err)
	}
}

// smallImage is the core of a kernel with four symbols.
func smallImage(base uint64) []byte {
	table, index := letters()
	names := []byte("\x07T_stext" + "\x06T\x01read" + "\x06T\x01also" + "\x06T\x01last")
	return imageCore(base, []string{"kallsyms_num_syms", "kallsyms_names", "kallsyms_token_table", "kallsyms_token_index", "kallsyms_offsets", "kallsyms_relative_base"},
		[][]byte{le(uint32(4)), names, table, le(index), le([]int32{0, 0x40, 0x40, 0x80}), le(base)}, fmt.Sprintf("SYMBOL(_stext)=%x\n", base))
}

// TestUsedImage finds symbols of the kernel itself in its own table, each once, and addresses
// that may be of modules.
func TestUsedImage(t *testing.T) {
	const base = 0xffffffff81000000
	m, err := parseImage(bytes.NewReader(smallImage(base)), nowhere)
	if err != nil {
		t.Fatal(err)
	}
	table := &Table{image: func() *image { return m }}
	used := table.Used()
	for _, step := range []struct {
		addr  uint64
		text  string
		other bool
	}{
		{0, "ffffffff81000000 T _stext\n", false}, // a bound
		{base + 0x48, "ffffffff81000040 T vfs_read\nffffffff81000040 T vfs_also\nffffffff81000080 T vfs_last\n", false},
		{base + 0x41, "", false},
		{base + 0x81, "", false},
		{1<<64 - 2, "", false}, // -2
		{1001502, "", false},
		{0xffff888004b00000, "", false}, // memory of the kernel, which has no names
		{0xffffffffc0001234, "", true},
	} {
		used.Scan(binary.LittleEndian.AppendUint64(nil, step.addr), false)
		if text := string(used.Text()); text != step.text || used.Other() != step.other {
			t.Errorf("%#x: %q %t, want %q %t", step.addr, text, used.Other(), step.text, step.other)
		}
	}
}

// TestSort leaves out lines that are not whole, and keeps the order at the same address.
func TestSort(t *testing.T) {
	got := string(Sort([]byte("ffffffff82000000 T c\n\x00\x00\nffffffff81000000 T b\nffffffff81000000 T a\nffffffff810")))
	if want := "ffffffff81000000 T b\nffffffff81000000 T a\nffffffff82000000 T c\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

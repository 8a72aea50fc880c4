package btf_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
)

// questions asks everything that needs the BTF of vmlinux.
var questions = map[string]func(k *btf.Kernel) error{
	"Func":       func(k *btf.Kernel) error { _, err := k.Func("", "pkt_rcv"); return err },
	"Func mod":   func(k *btf.Kernel) error { _, err := k.Func("snoop_mod", "mod_rcv"); return err },
	"Funcs":      func(k *btf.Kernel) error { _, err := k.Funcs("pkt_*"); return err },
	"Type":       func(k *btf.Kernel) error { _, err := k.Type("struct pkt"); return err },
	"Enumerator": func(k *btf.Kernel) error { _, err := k.Enumerator(nil, "STATE_UP"); return err },
}

func TestNoBTF(t *testing.T) {
	raw, err := os.ReadFile(sampleFile)
	if err != nil {
		t.Fatal(err)
	}
	badStrings := bytes.Clone(raw)
	badStrings[len(raw)-1] = 'x' // not terminated
	for name, k := range map[string]*btf.Kernel{
		"no file":         btf.Open(),
		"empty file":      btf.Open(writeFile(t, "empty.btf", nil)),
		"garbage":         btf.Open(writeFile(t, "garbage.btf", []byte("this is not BTF at all"))),
		"magic only":      btf.Open(writeFile(t, "magic.btf", raw[:2])),
		"header only":     btf.Open(writeFile(t, "header.btf", raw[:24])),
		"half":            btf.Open(writeFile(t, "half.btf", raw[:len(raw)/2])),
		"bad strings":     btf.Open(writeFile(t, "strings.btf", badStrings)),
		"damaged ELF":     btf.Open(writeFile(t, "vmlinux", []byte("\x7fELF and no more"))),
		"ELF without BTF": btf.Open(writeFile(t, "vmlinux", elfFile(t, ".text", nil))),
		"ELF, empty BTF":  btf.Open(writeFile(t, "vmlinux", elfFile(t, ".BTF", nil))),
	} {
		for question, ask := range questions {
			first := ask(k)
			if !errors.Is(first, btf.ErrNoBTF) {
				t.Errorf("%s: %s: %v, want %v", name, question, first, btf.ErrNoBTF)
			}
			if second := ask(k); second == nil || first == nil || second.Error() != first.Error() {
				t.Errorf("%s: %s: %v, then %v", name, question, first, second)
			}
		}
	}
}

// TestNames: names that would end a line, or act on a terminal, where they are shown make
// BTF invalid, in the file of the kernel and in that of a module.
func TestNames(t *testing.T) {
	module, err := os.ReadFile(filepath.Join("testdata", "snoop-mod.btf"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(sampleFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []byte("\n\t\r\x1b\x01\x7f\x80\xff") {
		damaged := func(data []byte, name string) string {
			data = bytes.Clone(data)
			data[bytes.Index(data, []byte(name))+1] = c
			return writeFile(t, "damaged.btf", data)
		}
		want := fmt.Sprintf("is %#02x, in a name", c)
		_, err := btf.Open(damaged(raw, "pkt_rcv")).Func("", "pkt_rcv")
		if !errors.Is(err, btf.ErrNoBTF) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", c, err)
		}
		err = btf.Open(sampleFile, damaged(module, "mod_rcv")).CheckModules()
		if !errors.Is(err, btf.ErrNoBTF) || !strings.Contains(err.Error(), want) {
			t.Errorf("module, %q: %v", c, err)
		}
	}
	if err := btf.Open(sampleFile, writeFile(t, "a\nb.btf", module)).CheckModules(); err == nil || !strings.Contains(err.Error(), `"a\nb"`) {
		t.Errorf("%v", err)
	}
}

// TestMissingFile: the cause stays visible beside ErrNoBTF.
func TestMissingFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nosuch.btf")
	_, err := btf.Open(file).Type("u32")
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), file) {
		t.Errorf("Type(u32): %v, want fs.ErrNotExist that names %s", err, file)
	}
}

// TestLazy: opening never fails, and what is written before the first question
// counts.
func TestLazy(t *testing.T) {
	btf.Running()
	file := filepath.Join(t.TempDir(), "late.btf")
	k := btf.Open(file)
	raw, err := os.ReadFile(sampleFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	mustType(t, k, "struct pkt")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	mustType(t, k, "struct dev") // and it is read once
}

// TestDamagedModule: questions about other modules are answered if one is damaged.
func TestDamagedModule(t *testing.T) {
	bad := writeFile(t, "bad-mod.ko", []byte("garbage"))
	gone := filepath.Join(t.TempDir(), "gone.btf")
	k := btf.Open(sampleFile, bad, gone, moduleFile)
	if f, err := k.Func("", "mod_rcv"); err != nil || f.Module != "snoop_mod" {
		t.Errorf("Func(mod_rcv) = %v, %v", f, err)
	}
	if funcs, err := k.Funcs("mod_*"); err != nil || len(funcs) != 3 {
		t.Errorf("Funcs(mod_*) = %v, %v, want three", funcs, err)
	}
	for module, file := range map[string]string{"bad_mod": bad, "gone": gone} {
		if _, err := k.Func(module, "f"); !errors.Is(err, btf.ErrNoBTF) || !strings.Contains(err.Error(), file) {
			t.Errorf("Func(%s, f): %v, want %v that names %s", module, err, btf.ErrNoBTF, file)
		}
	}
}

// TestModuleWithoutBase: split BTF alone makes no sense, and must not crash.
func TestModuleWithoutBase(t *testing.T) {
	for question, ask := range questions {
		if err := ask(btf.Open(moduleFile)); !errors.Is(err, btf.ErrSplit) {
			t.Errorf("%s of split BTF without its base: %v, want %v", question, err, btf.ErrSplit)
		}
	}
}

func TestELF(t *testing.T) {
	raw, err := os.ReadFile(sampleFile)
	if err != nil {
		t.Fatal(err)
	}
	split, err := os.ReadFile(moduleFile)
	if err != nil {
		t.Fatal(err)
	}
	k := btf.Open(writeFile(t, "vmlinux-6.1", elfFile(t, ".BTF", raw)), writeFile(t, "snoop-mod.ko.debug", elfFile(t, ".BTF", split)))
	if f, err := k.Func("snoop_mod", "mod_rcv"); err != nil {
		t.Error(err)
	} else if got, want := f.String(), "int mod_rcv(mod_priv_t *priv, struct pkt *pkt)"; got != want {
		t.Errorf("Func(mod_rcv) = %s, want %s", got, want)
	}

	distilled := btf.Open(sampleFile, writeFile(t, "oot.ko", elfFile(t, ".BTF", split, ".BTF.base")))
	if _, err := distilled.Func("oot", "mod_rcv"); err == nil || !strings.Contains(err.Error(), ".BTF.base") {
		t.Errorf("Func of a module with a distilled base: %v, want an error about .BTF.base", err)
	}
}

func TestConcurrent(t *testing.T) {
	k := withModule()
	var wg sync.WaitGroup
	for range 4 {
		for question, ask := range questions {
			wg.Go(func() {
				if err := ask(k); err != nil {
					t.Errorf("%s: %v", question, err)
				}
			})
		}
		wg.Go(func() { k.Complete(mustType(t, k, "struct opaque")) })
	}
	wg.Wait()
}

// elfFile makes an object file of one section with data and of empty ones.
func elfFile(t *testing.T, name string, data []byte, empty ...string) []byte {
	t.Helper()
	names := append([]string{"", name}, append(empty, ".shstrtab")...)
	const headerSize, sectionSize = 64, 64
	table := "" // the names
	sections := make([]elf.Section64, len(names))
	for i, n := range names {
		sections[i] = elf.Section64{Name: uint32(len(table)), Type: uint32(elf.SHT_PROGBITS), Off: headerSize, Addralign: 1}
		table += n + "\x00"
	}
	sections[0] = elf.Section64{}
	sections[1].Size = uint64(len(data))
	last := &sections[len(sections)-1]
	last.Type, last.Off, last.Size = uint32(elf.SHT_STRTAB), uint64(headerSize+len(data)), uint64(len(table))
	header := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_REL), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT), Ehsize: headerSize,
		Shoff: uint64(headerSize + len(data) + len(table)), Shentsize: sectionSize, Shnum: uint16(len(sections)), Shstrndx: uint16(len(sections) - 1),
	}
	var b bytes.Buffer
	for _, part := range []any{header, data, []byte(table), sections} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

package btf_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// FuzzType: any text gives an error or a type, and the C name of a type found
// is that of the same type.
func FuzzType(f *testing.F) {
	for _, text := range []string{
		"struct pkt *", "const char __user *", "unsigned long long", "u32 [2][3]", "enum level", "void", "struct",
		"long long long", "char [", "u8 []", "__int128", "int (*)(int)", "struct pkd", "\xff\x00", "const * const",
	} {
		f.Add(text)
	}
	k := withModule()
	badinput.Fuzz(f, func(t *testing.T, text string) {
		typ, err := k.Type(text)
		if (err == nil) != (typ != nil) {
			t.Fatalf("Type(%q) = %v, %v", text, typ, err)
		}
		if err != nil {
			return
		}
		name := btf.Name(typ)
		again, err := k.Type(name)
		if err != nil {
			t.Fatalf("Type(%q) is %s: %v", text, name, err)
		}
		if got := btf.Name(again); got != name {
			t.Fatalf("Type(%q) is %s, which is %s", text, name, got)
		}
		if a, ok := btf.Size(typ); ok {
			if b, _ := btf.Size(again); a != b {
				t.Fatalf("Type(%q) has %d bytes, %s has %d", text, a, name, b)
			}
		}
	})
}

// FuzzOpen damages the sample's bytes, or a module's, and asks everything. Edits are three
// bytes each: where, low byte first, and the new value; the file ends cut bytes early.
//
// Whole files as input would keep the fuzzer busy making them shorter.
func FuzzOpen(f *testing.F) {
	base, err := os.ReadFile(sampleFile)
	if err != nil {
		f.Fatal(err)
	}
	split, err := os.ReadFile(moduleFile)
	if err != nil {
		f.Fatal(err)
	}
	sound := btf.FromBytes(base)
	for _, module := range []bool{false, true} {
		f.Add(module, []byte{}, uint16(0))
		f.Add(module, []byte{}, uint16(5))
		f.Add(module, []byte{4, 0, 0xff, 5, 0, 0xff}, uint16(0))          // length of the header
		f.Add(module, []byte{24, 0, 0xff, 25, 0, 0xff}, uint16(0))        // first type's name
		f.Add(module, []byte{31, 0, 2, 32, 0, 1, 33, 0, 0}, uint16(0))    // its kind, and what it points to
		f.Add(module, []byte{0, 1, 7, 64, 2, 9, 200, 3, 1}, uint16(3000)) // here and there
	}
	badinput.Fuzz(f, func(t *testing.T, module bool, edits []byte, cut uint16) {
		data := base
		if module {
			data = split
		}
		data = bytes.Clone(data[:max(0, len(data)-int(cut))])
		for e := range slices.Chunk(edits, 3) {
			if len(e) == 3 && len(data) > 0 {
				data[int(binary.LittleEndian.Uint16(e))%len(data)] = e[2]
			}
		}
		if module {
			askEverything(t, sound.WithModule("mod", data), "mod:mod")
		} else {
			askEverything(t, btf.FromBytes(data).WithModule("mod", split), "*")
		}
	})
}

// askEverything asks about the functions of a glob, and what they use.
func askEverything(t *testing.T, k *btf.Kernel, glob string) {
	funcs, err := k.Funcs(glob)
	var none *btf.NotFoundError
	if err != nil && !errors.Is(err, btf.ErrNoBTF) && (glob == "*" || !errors.As(err, &none)) {
		t.Errorf("Funcs(%s): %v, want %v", glob, err, btf.ErrNoBTF)
	}
	a := &asking{t: t, k: k, asked: make(map[btf.Type]bool)}
	for _, f := range funcs {
		_ = f.String()
		for _, p := range f.Params {
			a.ask(p.Type)
		}
		a.ask(f.Return)
		k.Func("", f.Name)
		k.Func(f.Module, f.Name+"x")
	}
	for _, name := range []string{"struct pkt", "struct dev", "struct opaque *", "enum level", "atomic_t", "u64", "__int128", "struct nosuch"} {
		if typ, err := k.Type(name); err == nil {
			a.ask(typ)
		}
	}
	k.Enumerator(nil, "LEVEL_LOW")
	k.Enumerator(nil, "nosuch")
}

// An asking asks for all that there is to know about types.
type asking struct {
	t     *testing.T
	k     *btf.Kernel
	asked map[btf.Type]bool
}

// nothing takes layouts. A layout needs no buffer of its own if it is written to one.
var nothing = bufio.NewWriter(io.Discard)

func (a *asking) ask(typ btf.Type) {
	if a.asked[typ] {
		return
	}
	a.asked[typ] = true
	btf.Name(typ)
	btf.Declare(typ, "x")
	btf.Size(typ)
	btf.Signed(typ)
	btf.IsUser(typ)
	typ = a.k.Complete(typ)
	for _, name := range btf.Members(typ) {
		btf.Member(typ, name)
	}
	btf.Member(typ, "nosuch")
	if e, ok := btf.Strip(typ).(*btf.Enum); ok {
		btf.EnumName(e, 1)
	}
	if err := a.k.Layout(nothing, typ); err != nil {
		a.t.Errorf("Layout: %v", err)
	}
}

package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// typesFile is BTF that no compiler wrote. Type 1 is an int, and its names are the first
// of names.
type typesFile struct {
	types, names []byte
	n            uint32 // of types
}

const (
	btfPtr    = 2 << 24
	btfStruct = 4 << 24
	btfFunc   = 12 << 24
	btfProto  = 13 << 24
)

func newTypesFile() *typesFile {
	f := &typesFile{names: []byte{0}}
	f.add(f.name("int"), 1<<24, 4, 32)
	return f
}

func (f *typesFile) name(s string) uint32 {
	at := len(f.names)
	f.names = append(append(f.names, s...), 0)
	return uint32(at)
}

// add appends an encoded type and returns its id.
func (f *typesFile) add(words ...uint32) uint32 {
	for _, w := range words {
		f.types = binary.LittleEndian.AppendUint32(f.types, w)
	}
	f.n++
	return f.n
}

// proto adds a prototype that returns int and takes a type n times.
func (f *typesFile) proto(name, of uint32, n int) uint32 {
	words := []uint32{0, btfProto | uint32(n), 1}
	for range n {
		words = append(words, name, of)
	}
	return f.add(words...)
}

func (f *typesFile) bytes() []byte {
	b := []byte{0x9f, 0xeb, 1, 0}
	for _, v := range []int{24, 0, len(f.types), len(f.types), len(f.names)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return append(append(b, f.types...), f.names...)
}

var costlyTypes = map[string]func(f *typesFile){
	// As large as a kernel's, whose structs no prototype needs.
	"structs": func(f *typesFile) {
		a := f.name("a")
		for i := range 8000 {
			words := []uint32{f.name(fmt.Sprint("s", i)), btfStruct | 30, 4}
			for m := range 30 {
				words = append(words, a, 1, uint32(m))
			}
			pointer := f.add(0, btfPtr, f.add(words...))
			for n := range 5 {
				f.add(f.name(fmt.Sprint("f", n, "_", i)), btfFunc, f.proto(a, pointer, 4+n))
			}
		}
	},
	"functions with many parameters": func(f *typesFile) {
		many := f.proto(f.name("a"), 1, 1000)
		for i := range 40_000 {
			f.add(f.name(fmt.Sprint("f", i)), btfFunc, many)
		}
		f.add(f.name("one"), btfFunc, f.proto(f.name("a"), 1, 1))
	},
	"functions": func(f *typesFile) {
		proto := f.proto(f.name("a"), 1, 1)
		for i := range 60_000 {
			f.add(f.name(fmt.Sprint("f", i)), btfFunc, proto)
		}
	},
	"functions of one name": func(f *typesFile) {
		name, a := f.name("f"), f.name("a")
		for i := range 10_000 {
			f.add(name, btfFunc, f.proto(a, f.add(f.name(fmt.Sprint("s", i)), btfStruct, 0), 1))
		}
	},
	"functions that take functions": func(f *typesFile) {
		a, of := f.name("a"), uint32(1)
		for range 40 {
			of = f.proto(a, f.add(0, btfPtr, of), 3)
		}
		for i := range 8000 {
			f.add(f.name(fmt.Sprint("f", i)), btfFunc, of)
		}
	},
}

// TestCostlyTypes: to list all functions of types of any origin takes no more memory and
// time than their size justifies.
func TestCostlyTypes(t *testing.T) {
	for name, fill := range costlyTypes {
		t.Run(name, func(t *testing.T) {
			f := newTypesFile()
			fill(f)
			file := filepath.Join(t.TempDir(), "costly.btf")
			b := f.bytes()
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, command := range []string{"list", "info"} {
				if said := checkCost(t, len(b), command, "--btf", file, "*"); strings.Contains(said, "tsnoop: ") {
					t.Errorf("%s: %.200s", command, said)
				}
			}
		})
	}
}

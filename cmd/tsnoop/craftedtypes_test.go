package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// typesFile is BTF that no compiler wrote. Type 1 is an int, and its names are the first
// of names.
type typesFile struct {
	types, names []byte
	n            uint32 // of types
}

const (
	btfPtr    = 2 << 24
	btfArray  = 3 << 24
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
	"names that many types have": func(f *typesFile) {
		long := f.name(strings.Repeat("x", 20_000))
		for range 2000 {
			f.add(long, btfStruct|1, 4, long, 1, 0)
		}
	},
	"a name that many members have": func(f *typesFile) {
		long := f.name(strings.Repeat("x", 1<<20))
		words := []uint32{long, btfStruct | 65_535, 4}
		for range 65_535 {
			words = append(words, long, 1, 0)
		}
		f.add(words...)
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

// costlyObjects are types of objects that have each other as parts. The last type is the
// object's. To look at all parts would take longer than anybody lives.
var costlyObjects = map[string]func(f *typesFile) (object uint32){
	"structs in structs": func(f *typesFile) uint32 {
		x := f.name("x")
		words := []uint32{}
		id := f.add(f.name("s0"), btfStruct|1, 8, x, 1, 0)
		for i := range 200 {
			words = append(words, x, id, 0)
			id = f.add(append([]uint32{f.name(fmt.Sprint("s", i+1)), btfStruct | uint32(i+1), 8}, words...)...)
		}
		return id
	},
	"structs without names": func(f *typesFile) uint32 {
		id := f.add(0, btfStruct|1, 4, f.name("x"), 1, 0)
		for range 60 {
			id = f.add(0, btfStruct|2, 4, 0, id, 0, 0, id, 0)
		}
		return f.add(f.name("big"), btfStruct|1, 4, 0, id, 0)
	},
	"arrays": func(f *typesFile) uint32 {
		id := uint32(1)
		for range 8 {
			id = f.add(0, btfArray, 0, id, 1, 64)
		}
		return f.add(f.name("big"), btfStruct|2, 256, f.name("x"), id, 0, f.name("y"), 1, 0)
	},
	"many members": func(f *typesFile) uint32 {
		parts := []uint32{}
		const structs, members = 4, 64_000
		for s := range structs {
			words := []uint32{f.name(fmt.Sprint("s", s)), btfStruct | members, 4}
			for m := range members {
				words = append(words, f.name(fmt.Sprintf("m%x", s*members+m)), 1, 0)
			}
			parts = append(parts, f.name(fmt.Sprint("p", s)), f.add(words...), 0)
		}
		return f.add(append([]uint32{f.name("big"), btfStruct | structs, 4}, parts...)...)
	},
	"itself": func(f *typesFile) uint32 {
		id := f.n + 1
		return f.add(f.name("big"), btfStruct|3, 8, f.name("y"), id, 0, 0, id, 0, f.name("z"), 1, 0)
	},
}

// TestCostlyObjects: to plan how an object is fetched, and to show it with the types that a
// recording has, takes no more than the types' size justifies.
func TestCostlyObjects(t *testing.T) {
	for name, fill := range costlyObjects {
		t.Run(name, func(t *testing.T) {
			f := newTypesFile()
			f.add(f.name("rcv"), btfFunc, f.proto(f.name("p"), f.add(0, btfPtr, fill(f)), 1))
			f.add(f.name("char"), 1<<24, 1, 8)
			file := filepath.Join(t.TempDir(), "costly.btf")
			b := f.bytes()
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{
				{"--emit", "--kernel=6.12", "rcv(*p)"}, {"--explain", "--kernel=6.12", "--follow-pointers", "rcv"}, {"--emit", "--kernel=6.12", "rcv(p->none)"}, {"info", "struct [bs]*"},
			} {
				checkCost(t, len(b), append([]string{"--btf", file}, args...)...)
			}
			if len(b) > 4<<20 {
				return // more than a recording may have
			}
			badinput.Check(t, len(b), func() {
				c := sampleOf(t, file, "rcv(*p)")
				for _, way := range [][]string{nil, {"--json", "--zeros"}} {
					if printed, said, err := c.replay(t, nil, way...); err != nil || !strings.Contains(printed, "rcv") {
						t.Errorf("%v: %.300s%.300s", err, printed, said)
					}
				}
			})
		})
	}
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
				said, want := checkCost(t, len(b), command, "--btf", file, "*"), ""
				switch name {
				case "names that many types have":
					want = "the names of types up to type 7 have more than 201628 bytes"
				case "a name that many members have":
					want = "the names of types up to type 2 have more than 3735644 bytes"
				}
				if refused := strings.Contains(said, "tsnoop: "); refused != (want != "") || !strings.Contains(said, want) {
					t.Errorf("%s: got %.300s, want %s", command, said, want)
				}
			}
		})
	}
}

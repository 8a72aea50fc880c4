package btf_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// chainOf is BTF of n types, each of which refers to the next or, if back is set, to the one
// before.
func chainOf(n int, back bool, typ func(b []byte, next uint32) []byte) []byte {
	order := binary.LittleEndian
	var types []byte
	for i := range n {
		next := uint32(i + 2)
		if back {
			next = uint32(i)
		}
		types = typ(types, next)
	}
	strings := "\x00a\x00"
	b := []byte{0x9f, 0xeb, 1, 0}
	for _, v := range []int{24, 0, len(types), len(types), len(strings)} {
		b = order.AppendUint32(b, uint32(v))
	}
	return append(append(b, types...), strings...)
}

// deepTypes are how many types lead from one to the next.
func deepTypes() []int {
	if os.Getenv("TSNOOP_TRUST") == "full" {
		return []int{3000, 20_000, 200_000}
	}
	return []int{3000, 20_000}
}

// TestDeepTypes: types that lead from one to the next without end are refused before they
// are decoded, which would take 5 KB of stack for each, and a crash at a gigabyte.
func TestDeepTypes(t *testing.T) {
	u32 := func(b []byte, values ...uint32) []byte {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	for name, typ := range map[string]func([]byte, uint32) []byte{
		"pointers": func(b []byte, next uint32) []byte { return u32(b, 0, 2<<24, next) },
		"typedefs": func(b []byte, next uint32) []byte { return u32(b, 1, 8<<24, next) },
		"arrays":   func(b []byte, next uint32) []byte { return u32(b, 0, 3<<24, 0, next, 0, 9) },
		"structs":  func(b []byte, next uint32) []byte { return u32(b, 1, 4<<24|1, 8, 1, next, 0) },
		"protos":   func(b []byte, next uint32) []byte { return u32(b, 0, 13<<24|1, 0, 1, next) },
	} {
		for _, n := range deepTypes() {
			for _, back := range []bool{false, true} {
				data := chainOf(n, back, typ)
				file := filepath.Join(t.TempDir(), "deep.btf")
				if err := os.WriteFile(file, data, 0o600); err != nil {
					t.Fatal(err)
				}
				var err error
				read := func() { _, err = btf.Open(file).Type("struct none") }
				if back {
					read()
				} else {
					badinput.Check(t, len(data), read)
				}
				deep := errors.Is(err, btf.ErrNoBTF) && strings.Contains(err.Error(), "through more than 4096")
				if want := n > 4096 && !back; deep != want {
					t.Errorf("%d %s, back %t: %v", n, name, back, err)
				}
			}
		}
	}
}

package value_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TestBounds reads arrays whose length is in another arg. The args are the length or
// result, the pointer, and the array.
func TestBounds(t *testing.T) {
	four := []byte{1, 2, 3, 4}
	of := func(length, unit, result int) []value.Field {
		return []value.Field{{
			Type: array(u8, 4), Encoding: value.Array, Arg: 2, Size: 1, Count: 4, PointerChecks: through(1, 1, value.KernelSpace),
			Bound: &value.Bound{Length: length, Unit: unit, Result: result},
		}}
	}
	free := of(0, 1, -1)
	free[0].PointerChecks = nil
	minus := func(n uint32) uint32 { return -n }
	testRecords(t, []recordTest{
		{"two of them", of(0, 1, -1), []any{uint32(2), uint64(kern), four}, nil, "[1 2]"},
		{"all", of(0, 1, -1), []any{uint32(4), uint64(kern), four}, nil, "[1 2 3 4]"},
		{"more", of(0, 1, -1), []any{uint32(5), uint64(kern), four}, nil, "[1 2 3 4] cut of 5"},
		{"more than the type has, perhaps", of(0, 0, -1), []any{uint32(5), uint64(kern), four}, nil, "[1 2 3 4]"},
		{"units", of(0, 2, -1), []any{uint32(1), uint64(kern), four}, nil, "[1 2]"},
		{"negative", of(0, 1, -1), []any{minus(1), uint64(kern), four}, nil, "[]"},
		{"nothing, from nowhere", of(0, 1, -1), []any{uint32(0), uint64(wild), four}, nil, "[]"},
		{"nothing of an address that may end earlier", of(0, 0, -1), []any{uint32(0), uint64(wild), four}, nil, "p=0xdeadbeefdeadbeef bad"},
		{"64 bits", of(0, 1, -1), []any{uint64(1 << 31), uint64(kern), four}, nil, "[1 2 3 4] cut of 2147483648"},
		{"more than there is", of(0, 4, -1), []any{uint64(math.MaxUint64), uint64(kern), four}, nil, "[1 2 3 4] cut of 9223372036854775804"},
		{"no length", of(-1, 1, -1), []any{uint32(2), uint64(kern), four}, nil, "[1 2 3 4]"},
		{"an error", of(-1, 1, 0), []any{minus(5), uint64(kern), four}, nil, "-"},
		{"no error", of(-1, 1, 0), []any{uint32(0), uint64(kern), four}, nil, "[1 2 3 4]"},
		{"NULL", of(0, 1, -1), []any{uint32(2), uint64(0), four}, nil, "0x0"},
		{"in registers", free, []any{uint32(3), uint64(0), four}, nil, "[1 2 3]"},
	})
	for unit, want := range []string{"bytes", "bytes", "elements"} {
		if got := (&value.Bound{Unit: unit}).Units(); got != want {
			t.Errorf("units of %d are %s", unit, got)
		}
	}
}

// TestBoundedAddress reads socket addresses of known length, of which only the 16 bytes on
// the first page were in memory.
func TestBoundedAddress(t *testing.T) {
	in, un := "\x02\x00\x00\x50\x0a\x00\x00\x01", "\x01\x00/run\x00"
	for _, tt := range []struct {
		name   string
		length uint32
		unit   int
		format string
		bytes  string
		want   string
	}{
		{"all of it is there", 16, 0, "", in, "16"},
		{"its bytes, all there", 16, 0, "hex", in, "16"},
		{"no more means something", 28, 0, "", in, "16"},
		{"its bytes", 28, 0, "hex", in, "16 of 28 away"},
		{"as sockaddr", 28, 0, "sockaddr", in, "16"},
		{"data", 28, 1, "", in, "16 of 28 away"},
		{"more data than is read", 99, 1, "", in, "16 of 99 away"},
		{"a path", 28, 0, "", un, "16"},
		{"a path that goes on", 28, 0, "", "\x01\x00/run/abcdefghi", "16 of 28 away"},
		{"an abstract name goes to the end", 28, 0, "", "\x01\x00\x00run\x00", "16 of 28 away"},
	} {
		whole := &value.ReadCheck{Args: []int{3}, Trial: 4, To: 32}
		head := &value.ReadCheck{Args: []int{2}, Trial: 4, To: 8}
		f := value.Field{
			Type: structOf("sockaddr", 16), Encoding: value.Array, Arg: 1, Size: 8, Count: 4, Format: tt.format,
			PointerChecks: []value.PointerCheck{{Label: "p", Space: value.EitherSpace, ReadCheck: whole, Head: head}},
			Bound:         &value.Bound{Length: 6, Unit: tt.unit, Result: -1},
		}
		bytes := make([]byte, 32)
		copy(bytes, tt.bytes)
		next := place(5<<16 | 64) // of the name
		r := recordTest{fields: []value.Field{f}, args: []any{uint64(user + 4096 - 16), bytes, place(64), next, next, next, tt.length}}
		d, b := r.decoder(binary.LittleEndian)
		b = append(b, "load\x00"...)
		v := d.Value(0, b)
		got := fmt.Sprint(len(v.Bytes))
		if v.Uint > 0 {
			got += fmt.Sprint(" of ", v.Uint)
		}
		if v.Reason != 0 {
			got += " " + whys[v.Reason]
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

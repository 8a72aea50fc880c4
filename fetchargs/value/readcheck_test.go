package value_test

import (
	"encoding/binary"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TestReadChecks has records of a number and a string at a pointer into user
// memory, as kernels leave them. The number is old memory where it could not be
// read.
func TestReadChecks(t *testing.T) {
	const (
		through, itself = value.Through, value.Itself
		user, kernel    = 0x7fff_0000_1000, 0xffff_8880_0000_1000
		there, away     = 0, 5<<16 | 36 // what a Through is left as; "load" is at 36
		keeps, resets   = 5<<16 | 36, 36
	)
	for _, tt := range []struct {
		name         string
		kind         value.ReadCheckKind
		addr         uint64
		text, a, b   uint32
		trial        uint32
		any          bool
		number, want string
	}{
		{"there", through, user, 36, there | 36, there | 36, keeps, false, "77", `""`},
		{"a text", through, user, 3<<16 | 41, there | 36, there | 36, keeps, false, "77", `"hi"`},
		{"away", through, user, 36, away, away, keeps, false, "not in memory", "not in memory"},
		{"the second half is away", through, user, 36, there | 36, away, keeps, false, "not in memory", "not in memory"},
		{"a window that does", through, user, 36, away, there | 36, keeps, true, "77", `""`},
		{"no window does", through, user, 36, away, away, keeps, true, "not in memory", "not in memory"},
		{"something was there anyway", through, user, 36, 3<<16 | 41, there | 36, keeps, false, "77", `""`},
		{"a kernel that does not keep places", through, user, 36, there | 36, there | 36, resets, false, "unproven", "empty or away"},
		{"text", itself, user, 36, 3<<16 | 41, 36, resets, true, "77", `""`},
		{"no text", itself, user, 36, 36, 36, resets, true, "unproven", "empty or away"},
		{"text to the end of its page", itself, user + 4088, 36, 3<<16 | 41, 36, resets, true, "77", `""`},
		{"text on another page", itself, user + 4092, 36, 3<<16 | 41, 36, resets, true, "unproven", "empty or away"},
		{"text on a kernel that keeps places", itself, user, 36, 3<<16 | 41, 36, keeps, true, "unproven", "empty or away"},
		{"a step before the last", through, user, away, away, away, keeps, false, "not in memory", "not in memory"},
		{"a kernel's address needs no proof", through, kernel, 1<<16 | 43, away, away, keeps, false, "77", `""`},
		{"NULL", through, 0, 36, there | 36, there | 36, keeps, false, "bad address", "bad address"},
		{"no address", through, 0xdeadbeefdeadbeef, 36, there | 36, there | 36, keeps, false, "bad address", "bad address"},
	} {
		check := &value.ReadCheck{Kind: tt.kind, Args: []int{3, 4}, Any: tt.any, Trial: 5, From: 0, To: 8}
		fields := []value.Field{
			{Arg: 1, Size: 8, PointerChecks: []value.PointerCheck{{Label: "p", Space: value.EitherSpace, ReadCheck: check}}},
			{Arg: 2, Size: 4, Encoding: value.String, PointerChecks: []value.PointerCheck{{Label: "p", Space: value.AnySpace, ReadCheck: check}}},
		}
		r := recordTest{fields: fields, args: []any{tt.addr, uint64(77), place(tt.text), place(tt.a), place(tt.b), place(tt.trial), place(5<<16 | 36), []byte("load\x00hi\x00")}}
		d, record := r.decoder(binary.LittleEndian)
		if got := described(d.Value(0, record)); got != tt.number {
			t.Errorf("%s: the number is %s, want %s", tt.name, got, tt.number)
		}
		if got := described(d.Value(1, record)); got != tt.want {
			t.Errorf("%s: the string is %s, want %s", tt.name, got, tt.want)
		}
		if n := testing.AllocsPerRun(10, func() { d.Value(0, record); d.Value(1, record) }); n != 0 {
			t.Errorf("%s: %v allocations", tt.name, n)
		}
	}
}

// TestCounted has records of two numbers and a text at one pointer, with the count
// of faults around each.
func TestCounted(t *testing.T) {
	const (
		user, fn = 0x7fff_0000_1000, 0xffff_ffff_8100_2000
		kprobe   = 0xffff_8880_0000_1000
		empty    = 84
		cut      = 5<<16 | 84
		load     = 5<<16 | 84
	)
	type record struct {
		addr                    uint64
		before, number, between uint64
		byte, after             uint64
		kprobe, at              uint64
		text, comm              uint32
	}
	good := record{user, 7, 77, 7, 0, 7, kprobe, fn, empty, load}
	for _, tt := range []struct {
		name         string
		change       func(*record)
		number, text string
	}{
		{"there", func(*record) {}, "77", `""`},
		{"the number faults", func(r *record) { r.between, r.after = 9, 9 }, "unproven", `""`},
		{"the text faults", func(r *record) { r.after = 8 }, "77", "unproven"},
		{"both fault", func(r *record) { r.between, r.after = 9, 11 }, "unproven", "unproven"},
		{"the count is set back", func(r *record) { r.between, r.after = 0, 0 }, "unproven", `""`},
		{"an end that is not there", func(r *record) { r.byte = 'a' }, "77", "not in memory"},
		{"text is text", func(r *record) { r.text, r.byte, r.comm = 3<<16|84, 'h', 5<<16|87 }, "77", `"loa"`},
		{"text in the name's place", func(r *record) { r.text, r.byte, r.comm = cut, 'h', 89 }, "77", "not in memory"},
		{"another kprobe", func(r *record) { r.at = fn + 16 }, "unproven", "unproven"},
		{"no kprobe", func(r *record) { r.kprobe = 0 }, "unproven", "unproven"},
		{"the end of user space", func(r *record) { r.addr = 0x7fff_ffff_effc }, "unproven", `""`},
		{"the kernel's", func(r *record) { r.addr, r.between, r.after = kprobe, 9, 11 }, "77", "bad address"},
	} {
		r := good
		tt.change(&r)
		counted := func(read int, size int64) *value.ReadCheck {
			return &value.ReadCheck{Kind: value.Counted, Args: []int{6, 7}, Addr: fn, End: 0x7fff_ffff_f000, Read: read + 1, Reads: 1, To: size}
		}
		number, text := counted(2, 8), counted(4, 1)
		text.Last = 10
		fields := []value.Field{
			{Arg: 2, Size: 8, PointerChecks: []value.PointerCheck{{Label: "p", Space: value.EitherSpace, ReadCheck: number}}},
			{Arg: 8, Size: 4, Encoding: value.String, PointerChecks: []value.PointerCheck{{Label: "p", Space: value.AnySpace, ReadCheck: text}}},
		}
		args := []any{r.addr, r.before, r.number, r.between, r.byte, r.after, r.kprobe, r.at, place(r.text), place(r.comm), make([]byte, 12), []byte("load\x00\x00\x00\x00")}
		d, data := (&recordTest{fields: fields, args: args}).decoder(binary.LittleEndian)
		if got := described(d.Value(0, data)); got != tt.number {
			t.Errorf("%s: the number is %s, want %s", tt.name, got, tt.number)
		}
		if got := described(d.Value(1, data)); got != tt.text {
			t.Errorf("%s: the text is %s, want %s", tt.name, got, tt.text)
		}
		if n := testing.AllocsPerRun(10, func() { d.Value(0, data); d.Value(1, data) }); n != 0 {
			t.Errorf("%s: %v allocations", tt.name, n)
		}
	}
}

func described(v value.Value) string {
	switch v.Kind {
	case value.Text:
		return `"` + string(v.Bytes) + `"`
	case value.Uint:
		if v.Uint == 77 {
			return "77"
		}
		return "another number"
	}
	return map[value.FaultReason]string{value.BadAddress: "bad address", value.NotInMemory: "not in memory",
		value.Unproven: "unproven", value.EmptyOrAway: "empty or away"}[v.Reason]
}

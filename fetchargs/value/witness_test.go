package value_test

import (
	"encoding/binary"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TestWitnessed shows objects of two words in records with a witness's count before and after
// them, its address and its flags.
func TestWitnessed(t *testing.T) {
	const (
		at    = 0xffff_ffff_8100_2005
		start = 0xffff_8000_0000_0000
	)
	for _, tt := range []struct {
		name   string
		addr   uint64
		after  uint64 // the count after the object, which is 7 before it
		probe  uint64 // the address of the witness, in the record
		flags  uint32
		meant  uint64 // the same, in the plan
		off    int    // bytes from the pointer to the object
		object string
	}{
		{"there", kern, 7, at, 0, at, 0, "16 bytes"},
		{"a fault that may be another probe's", kern, 8, at, 0, at, 0, "unproven p=0xffff888000001000"},
		{"as many faults as words", kern, 9, at, 0, at, 0, "not in memory p=0xffff888000001000"},
		{"more faults", kern, 90, at, 0, at, 0, "not in memory p=0xffff888000001000"},
		{"a count that falls", kern, 6, at, 0, at, 0, "not in memory p=0xffff888000001000"},
		{"a disabled witness", kern, 7, at, 2, at, 0, "unproven p=0xffff888000001000"},
		{"another probe in its memory", kern, 7, at + 4, 0, at, 0, "unproven p=0xffff888000001000"},
		{"zeros in its memory", kern, 7, 0, 0, at, 0, "unproven p=0xffff888000001000"},
		{"a plan without its address", kern, 7, 0, 0, 0, 0, "unproven p=0xffff888000001000"},
		{"the first address", start, 7, at, 0, at, 0, "16 bytes"},
		{"not canonical", start - 8, 7, at, 0, at, 0, "unproven p=0xffff7ffffffffff8"},
		{"a member before the first address", start + 8, 7, at, 0, at, -16, "unproven p=0xffff800000000008"},
		{"user memory", user, 7, at, 0, at, 0, "unproven p=0x7fff00001000"},
		{"up to the page of vsyscalls", kern, 7, at, 0, at, 0xffff_ffff_ff5f_fff0 - kern, "16 bytes"},
		{"into the page of vsyscalls", kern, 7, at, 0, at, 0xffff_ffff_ff5f_fff8 - kern, "unproven p=0xffff888000001000"},
		{"the end of the page of vsyscalls", kern, 7, at, 0, at, 0xffff_ffff_ff60_0ff8 - kern, "unproven p=0xffff888000001000"},
		{"after the page of vsyscalls", kern, 7, at, 0, at, 0xffff_ffff_ff60_1000 - kern, "16 bytes"},
		{"among error pointers", kern, 7, at, 0, at, 0xffff_ffff_ffff_f008 - kern, "unproven p=0xffff888000001000"},
	} {
		check := &value.ReadCheck{Kind: value.Witnessed, Args: []int{4}, Addr: tt.meant, End: start, From: int64(tt.off), To: int64(tt.off) + 16, Read: 1 + 2, Reads: 1}
		f := value.Field{
			Label: "*p", Encoding: value.Dumped, Arg: 2, Size: 1, Count: 16, Whole: 16,
			PointerChecks: []value.PointerCheck{{Label: "p", Arg: 0, Space: value.EitherSpace}},
			Dump:          &value.Extent{Args: 1, Off: tt.off, Windows: []value.Window{{Range: value.Range{End: 16}, ReadCheck: check}}},
		}
		words := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, tt.after), tt.probe)
		r := recordTest{fields: []value.Field{f}, args: []any{tt.addr, uint64(7), numbered(16), words, tt.flags}}
		d, b := r.decoder(binary.LittleEndian)
		if got := shownObject(t, d.Value(0, b)); got != tt.object {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.object)
		}
		if got := d.Faulted(0, b); got != (tt.object != "16 bytes") {
			t.Errorf("%s: faulted: %v", tt.name, got)
		}
		for n := range b { // a damaged record shows no more than it has
			d.Value(0, b[:n])
		}
	}
}

// numbered returns n bytes, each with the number of its word.
func numbered(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i / 8)
	}
	return b
}

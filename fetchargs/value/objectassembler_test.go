package value_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A stretch is what a part of a side has of an object of 6000 bytes: some of it and
// two windows, of 8 bytes at its beginning and at its end.
type stretch struct {
	addr        uint64 // of the object
	at, n       int
	first, last bool // the windows could be read
	unseen      bool
}

func (s *stretch) field() value.Field {
	window := func(start, arg int) value.Window {
		check := &value.ReadCheck{Kind: value.Through, Args: []int{arg}, Trial: 4, From: int64(start), To: int64(start + 8)}
		return value.Window{Range: value.Range{Start: start, End: start + 8}, ReadCheck: check}
	}
	return value.Field{
		Label: "*p", Encoding: value.Dumped, Arg: 1, Size: 1, Count: s.n,
		PointerChecks: []value.PointerCheck{{Label: "p", Arg: 0, Space: value.EitherSpace}},
		Dump:          &value.Extent{At: s.at, Args: 1, Windows: []value.Window{window(s.at, 2), window(s.at+s.n-8, 3)}},
	}
}

// record has old memory wherever something could not be read: the numbers of the bytes
// say what was there.
func (s *stretch) record() []byte {
	if s.unseen {
		return nil
	}
	b := binary.LittleEndian.AppendUint64(nil, s.addr)
	for i := range s.n {
		b = append(b, byte((s.at+i)/8))
	}
	comm := uint32(5<<16 | len(b) + 16)
	for _, ok := range []bool{s.first, s.last} {
		if ok {
			b = binary.LittleEndian.AppendUint32(b, comm&0xffff)
		} else {
			b = binary.LittleEndian.AppendUint32(b, comm)
		}
	}
	b = binary.LittleEndian.AppendUint32(b, comm) // the trial
	return append(binary.LittleEndian.AppendUint32(b, comm), "load\x00"...)
}

func (s *stretch) decoder(f value.Field) *value.Decoder {
	end := 8 + s.n
	slots := []value.Slot{{Offset: 0, Size: 8}, {Offset: 8, Size: s.n}}
	for i := range 4 {
		slots = append(slots, value.Slot{Offset: end + 4*i, Size: 4, DataLoc: true})
	}
	return value.NewDecoder([]value.Field{f}, abi.Named("amd64"), slots, binary.LittleEndian, nil)
}

// TestObjectAssembler puts an object in two records together, of which some could not be read.
func TestObjectAssembler(t *testing.T) {
	const kernel, user = 0xffff_8880_0000_1000, 0x7fff_0000_1000
	for _, tt := range []struct {
		name string
		a, b stretch
		want string
	}{
		{"all", stretch{addr: kernel, first: true, last: true}, stretch{addr: kernel, first: true, last: true}, "6000 bytes"},
		{"of user space", stretch{addr: user, first: true, last: true}, stretch{addr: user, first: true, last: true}, "6000 bytes"},
		{"the second page is away", stretch{addr: kernel, first: true, last: true}, stretch{addr: kernel, first: true}, "6000 bytes, not [{4096 6000}]"},
		{"a page in the middle", stretch{addr: kernel + 4000, first: true}, stretch{addr: kernel + 4000, last: true}, "6000 bytes, not [{96 4192}]"},
		{"the first page", stretch{addr: kernel + 4000, last: true}, stretch{addr: kernel + 4000, first: true, last: true}, "6000 bytes, not [{0 96}]"},
		{"numbers that lie across", stretch{addr: kernel + 4004, first: true}, stretch{addr: kernel + 4004, last: true}, "6000 bytes, not [{88 4192}]"},
		{"the first part unseen", stretch{addr: kernel, unseen: true}, stretch{addr: kernel, first: true, last: true}, "none"},
		{"the second part unseen", stretch{addr: kernel, first: true, last: true}, stretch{unseen: true}, "6000 bytes, not [{3008 6000}]"},
		{"and a page of the first", stretch{addr: kernel + 2000, first: true}, stretch{unseen: true}, "6000 bytes, not [{2096 6000}]"},
		{"another object", stretch{addr: kernel, first: true, last: true}, stretch{addr: kernel + 8, first: true, last: true}, "6000 bytes, not [{3008 6000}]"},
		{"nothing there", stretch{addr: kernel}, stretch{addr: kernel}, "not in memory p=0xffff888000001000"},
		{"NULL", stretch{}, stretch{}, "bad p=0x0"},
		{"no address", stretch{addr: 0xdead_beef_dead_beef}, stretch{addr: 0xdead_beef_dead_beef}, "bad p=0xdeadbeefdeadbeef"},
	} {
		tt.a.n, tt.b.at, tt.b.n = 3008, 3008, 6000-3008
		first, rest := tt.a.field(), tt.b.field()
		first.Whole, first.Dump.Rest = 6000, []value.Place{{Part: 1, Field: 0}}
		assembler := value.NewObjectAssembler(0, []*value.Decoder{tt.a.decoder(first), tt.b.decoder(rest)})
		records := [][]byte{tt.a.record(), tt.b.record()}
		if v := tt.b.decoder(rest).Value(0, records[1]); v.Kind != value.None || !rest.IsRest() || first.IsRest() {
			t.Errorf("%s: the second part alone is an object", tt.name)
		}
		if got := shownObject(t, assembler.Value(records)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
		if n := testing.AllocsPerRun(10, func() { assembler.Value(records) }); n > 0 {
			t.Errorf("%s: %v allocations", tt.name, n)
		}
	}
}

// shownObject says what there is of an object, and checks what is said to be there.
func shownObject(t *testing.T, v value.Value) string {
	t.Helper()
	switch v.Kind {
	case value.None:
		return "none"
	case value.Fault:
		why := map[value.FaultReason]string{value.BadAddress: "bad", value.NotInMemory: "not in memory", value.Unproven: "unproven"}[v.Reason]
		return fmt.Sprintf("%s %s=%#x", why, v.Pointer.Label, v.Uint)
	}
	o := v.Object
	for i, b := range o.Bytes {
		absent := slices.ContainsFunc(o.Absent, func(r value.Range) bool { return i >= r.Start && i < r.End })
		if !absent && b != byte(i/8) {
			t.Errorf("byte %d is %d", i, b)
		}
	}
	if len(o.Absent) == 0 {
		return fmt.Sprintf("%d bytes", len(o.Bytes))
	}
	return fmt.Sprintf("%d bytes, not %v", len(o.Bytes), o.Absent)
}

// TestWindows shows objects in one record, with proofs of each kind. The args are the pointer,
// the object, a text, the kprobe, the trial, and the count before and after a byte.
func TestWindows(t *testing.T) {
	const away, there, trial, unmapped = place(4<<16 | 40), place(40), place(4<<16 | 40), 0xffff_f000_0000_0000
	counted := func(from, to int64) *value.ReadCheck {
		return &value.ReadCheck{Kind: value.Counted, Args: []int{3, 3}, Addr: kern, End: 0x7fff_ffff_f000, From: from, To: to, Read: 1 + 6, Reads: 1}
	}
	itself := func(from int64) *value.ReadCheck {
		return &value.ReadCheck{Kind: value.Itself, Any: true, Args: []int{2}, Trial: 4, From: from, To: from + 8}
	}
	through := func(from int64) *value.ReadCheck {
		return &value.ReadCheck{Args: []int{2}, Trial: 4, From: from, To: from + 8}
	}
	window := func(p *value.ReadCheck, start int) []value.Window {
		return []value.Window{{Range: value.Range{Start: start, End: start + 8}, ReadCheck: p}}
	}
	for _, tt := range []struct {
		name    string
		addr    uint64
		windows []value.Window
		text    any
		after   uint64 // the count of faults after the object, which is 7 before it
		want    string
	}{
		{"no window", kern, nil, there, 7, "16 bytes"},
		{"no window on a program's memory", user, nil, there, 7, "unproven p=0x7fff00001000"},
		{"no memory at it", unmapped - 8, nil, there, 7, "16 bytes, not [{8 16}]"},
		{"counted", user, window(counted(8, 16), 8), there, 7, "16 bytes"},
		{"counted, a fault", user, window(counted(8, 16), 8), there, 8, "not in memory p=0x7fff00001000"},
		{"counted, a fault in the kernel's memory", kern, window(counted(8, 16), 8), there, 8, "not in memory p=0xffff888000001000"},
		{"counted, beyond a program's memory", 0x7fff_ffff_eff8, window(counted(0, 8), 8), there, 7, "unproven p=0x7fffffffeff8"},
		{"counted, just within it", 0x7fff_ffff_eff0, window(counted(0, 8), 8), there, 7, "16 bytes"},
		{"a text", user, window(itself(0), 0), place(1<<16 | 40), 7, "16 bytes"},
		{"a text at the start of a page", user + 4088, window(itself(8), 8), place(1<<16 | 40), 7, "16 bytes"},
		{"no text", user, window(itself(0), 0), there, 7, "unproven p=0x7fff00001000"},
		{"a text of the kernel's", kern, window(itself(8), 8), place(1<<16 | 40), 7, "16 bytes"},
		{"no text of the kernel's", kern, window(itself(8), 8), there, 7, "not in memory p=0xffff888000001000"},
		{"another page", kern + 4088, window(through(8), 8), away, 7, "16 bytes, not [{8 16}]"},
		{"the first page", kern + 4088, window(through(0), 0), away, 7, "16 bytes, not [{0 8}]"},
		{"to the end of its page", kern + 4080, window(through(8), 8), away, 7, "not in memory p=0xffff888000001ff0"},
	} {
		f := value.Field{
			Label: "*p", Encoding: value.Dumped, Arg: 1, Size: 1, Count: 16, Whole: 16,
			PointerChecks: []value.PointerCheck{{Label: "p", Arg: 0, Space: value.EitherSpace}}, Dump: &value.Extent{Args: 1, Windows: tt.windows},
		}
		kept := trial
		if tt.windows != nil && tt.windows[0].ReadCheck.Kind == value.Itself {
			kept = there // as kernels do that need this kind of proof
		}
		r := recordTest{fields: []value.Field{f}, args: []any{tt.addr, []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x01\x01\x01\x01\x01\x01\x01\x01"), tt.text, uint64(kern), kept, uint64(7), uint64(1), tt.after}}
		d, b := r.decoder(binary.LittleEndian)
		if got := shownObject(t, d.Value(0, b)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
		faulted := tt.want != "16 bytes" && tt.windows != nil
		if got := d.Faulted(0, b); got != faulted {
			t.Errorf("%s: faulted: %v", tt.name, got)
		}
	}
}

// BenchmarkObjectAssembler makes an object of one record, and one of two.
func BenchmarkObjectAssembler(b *testing.B) {
	const addr = 0xffff_8880_0000_1000
	one := stretch{addr: addr, n: 232, first: true, last: true}
	first := one.field()
	first.Whole = one.n
	d, record := one.decoder(first), one.record()
	b.Run("one", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d.Value(0, record)
		}
	})
	half := stretch{addr: addr, n: 3008, first: true, last: true}
	rest := stretch{addr: addr, at: 3008, n: 6000 - 3008, first: true, last: true}
	first = half.field()
	first.Whole, first.Dump.Rest = 6000, []value.Place{{Part: 1, Field: 0}}
	assembler := value.NewObjectAssembler(0, []*value.Decoder{half.decoder(first), rest.decoder(rest.field())})
	records := [][]byte{half.record(), rest.record()}
	b.Run("two", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			assembler.Value(records)
		}
	})
}

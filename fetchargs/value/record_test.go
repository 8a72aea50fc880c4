package value_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Addresses on amd64.
const (
	user = 0x7fff_0000_1000
	kern = 0xffff_8880_0000_1000
	wild = 0xdead_beef_dead_beef
)

// An arg of a record can be one of these, besides numbers of each size and the []byte of
// an array in place: a string, which is stored with its NUL; nil, which is text that was
// not stored.
type (
	data  []byte // bytes whose place and length the record has
	place uint32 // any place and length
)

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// recordOf returns a record of args and how it is laid out.
func recordOf(order byteOrder, args ...any) (slots []value.Slot, b []byte) {
	for _, arg := range args {
		s := value.Slot{Offset: len(b)}
		switch x := arg.(type) {
		case uint8:
			b = append(b, x)
		case uint16:
			b = order.AppendUint16(b, x)
		case uint32:
			b = order.AppendUint32(b, x)
		case uint64:
			b = order.AppendUint64(b, x)
		case []byte:
			b = append(b, x...)
		case place:
			b, s.DataLoc = order.AppendUint32(b, uint32(x)), true
		default:
			b, s.DataLoc = append(b, 0, 0, 0, 0), true
		}
		s.Size = len(b) - s.Offset
		slots = append(slots, s)
	}
	for i, arg := range args {
		var text []byte
		switch x := arg.(type) {
		case string:
			text = append([]byte(x), 0)
		case data:
			text = x
		case nil:
		default:
			continue
		}
		order.PutUint32(b[slots[i].Offset:], uint32(len(text)<<16|len(b)))
		b = append(b, text...)
	}
	return slots, b
}

// A recordTest decodes the first of fields in a record of args. Records made of text have
// doubts, an index into 0, MaybeNext and MaybeLonger for each arg.
type recordTest struct {
	name   string
	fields []value.Field
	args   []any
	doubts []byte
	want   string
}

func (tt *recordTest) decoder(order byteOrder) (*value.Decoder, []byte) {
	slots, b := recordOf(order, tt.args...)
	mapped := func(addr uint64) bool { return addr < 0xffff_f000_0000_0000 }
	d := value.NewDecoder(tt.fields, abi.Named("amd64"), slots, order, mapped)
	if tt.doubts != nil {
		d.Doubts(len(b), []value.FaultReason{0, value.MaybeNext, value.MaybeLonger})
		b = append(b, tt.doubts...)
	}
	return d, b
}

func testRecords(t *testing.T, tests []recordTest) {
	t.Helper()
	for _, tt := range tests {
		d, b := tt.decoder(binary.LittleEndian)
		typ := value.NewType(&tt.fields[0], false, binary.LittleEndian)
		if got := shown(&typ, d.Value(0, b)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
		if n := testing.AllocsPerRun(5, func() { d.Value(0, b) }); n != 0 {
			t.Errorf("%s: %v allocations", tt.name, n)
		}
	}
}

// words is a line in which addresses are in hexadecimal, and constants have their set.
type words struct{ line }

func (w *words) Number(t *value.Type, x uint64) {
	switch {
	case t.Form == value.Address:
		fmt.Fprintf(w, "%#x", x)
	case t.Names != nil:
		fmt.Fprintf(w, "%s:%d", t.Names.Name, int64(x))
	default:
		w.line.Number(t, x)
	}
}

var whys = map[value.FaultReason]string{
	value.BadAddress: "bad", value.NotInMemory: "away", value.Unproven: "unproven", value.EmptyOrAway: "empty or away", value.NoRoom: "no room",
	value.Unused: "unused", value.CutOff: "cut", value.MaybeNext: "next?", value.MaybeLonger: "longer?",
}

// shown returns a value in one line, with what is wrong or uncertain.
func shown(typ *value.Type, v value.Value) string {
	var w words
	value.View{}.Walk(typ, &v, &w)
	s, reason := w.String(), v.Reason&^value.OldMemory
	switch {
	case v.Kind == value.Fault && v.Pointer != nil:
		s = fmt.Sprintf("%s=%#x %s", v.Pointer.Label, v.Uint, whys[reason])
	case reason != 0 && v.Kind != value.Uint && v.Kind != value.Int:
		s += " " + whys[reason]
	}
	if v.Kind == value.Bytes && v.Uint > 0 {
		s += fmt.Sprint(" of ", v.Uint)
	}
	if v.Reason&value.OldMemory != 0 {
		s += " old"
	}
	return s
}

// through returns pointers in the args from first on, each of which was read through the
// one before it.
func through(first, n int, space value.Space) (checks []value.PointerCheck) {
	for i := range n {
		checks = append(checks, value.PointerCheck{Label: string(rune('p' + i)), Arg: first + i, Space: space})
	}
	return checks
}

package value_test

import (
	"encoding/binary"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// FuzzDecoder reads records that are anything, laid out anyhow. Its values are within the
// record, and the short way to a number gives the same.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte{0, 8, 8, 4, 12, 4, 16, 4, 20, 8}, []byte("\x00\x10\x00\x00\x80\x88\xff\xff....\x1c\x00\x05\x00\x1c\x00\x05\x00........load\x00"), false)
	f.Add([]byte{0, 8, 8, 4, 12, 4, 16, 4, 20, 8}, []byte("\x00\x00\x7f\xff\x00\x00\x10\x00................"), true)
	badinput.Fuzz(f, func(t *testing.T, layout, record []byte, big bool) {
		slots := make([]value.Slot, 5)
		for i := range slots {
			if len(layout) < 2*i+2 {
				return
			}
			slots[i] = value.Slot{Offset: int(layout[2*i]), Size: int(layout[2*i+1]), DataLoc: i == 2 || i == 3}
		}
		through := &value.ReadCheck{Kind: value.Through, Args: []int{2}, Trial: 3}
		itself := &value.ReadCheck{Kind: value.Itself, Args: []int{2}, Trial: 3, To: 8}
		fields := []value.Field{
			{Arg: 0, Size: 1}, {Arg: 1, Size: 2, Signed: true}, {Arg: 4, Size: 4, Add: 5}, {Arg: 0, Size: 8, Signed: true},
			{Arg: 1, Size: 4, Encoding: value.BitField, Bits: 5, Signed: true},
			{Arg: 0, Size: 8, Encoding: value.BitField, Bits: 60, Split: 40},
			{Arg: 2, Size: 1, Encoding: value.String, Count: 16},
			{Arg: 2, Size: 1, Encoding: value.String, PointerChecks: []value.PointerCheck{{Arg: 0, Space: value.AnySpace, ReadCheck: through}}},
			{Arg: 1, Size: 4, PointerChecks: []value.PointerCheck{{Arg: 0, Space: value.EitherSpace, ReadCheck: through}}},
			{Arg: 1, Size: 4, PointerChecks: []value.PointerCheck{{Arg: 0, Space: value.UserSpace, ReadCheck: itself}}},
			{Arg: 4, Size: 1, Count: 6, Skip: 2, Encoding: value.Array},
			{Arg: 0, Size: 2, Count: 8, Skip: 1, Encoding: value.Array, PointerChecks: []value.PointerCheck{{Arg: 4}}},
			{Encoding: value.Nothing},
		}
		var order binary.ByteOrder = binary.LittleEndian
		if big {
			order = binary.BigEndian
		}
		d := value.NewDecoder(fields, abi.Named("arm64"), slots, order, nil)
		for i, field := range fields {
			v := d.Value(i, record)
			if len(v.Bytes) > len(record) || field.Count > 0 && len(v.Bytes) > field.Size*field.Count && field.Encoding == value.String {
				t.Errorf("field %d: %d bytes of a record of %d", i, len(v.Bytes), len(record))
			}
			if p, ok := d.Plain(i); ok && p.Load(record) != v.Uint {
				t.Errorf("field %d: %#x the short way, want %#x", i, p.Load(record), v.Uint)
			}
			ty := value.NewType(&field, false, order)
			value.View{}.Walk(&ty, &v, discard{})
		}
	})
}

// discard is a Visitor that looks at nothing.
type discard struct{}

func (discard) Number(*value.Type, uint64)                           {}
func (discard) Text([]byte, bool)                                    {}
func (discard) Block(*value.Type, []byte)                            {}
func (discard) Fault(*value.PointerCheck, uint64, value.FaultReason) {}
func (discard) Nothing()                                             {}
func (discard) EmptyList()                                           {}
func (discard) BeginArray(*value.Type)                               {}
func (discard) Element(int, int, int)                                {}
func (discard) EndArray(value.Rest)                                  {}
func (discard) BeginStruct()                                         {}
func (discard) Member(int, *value.Member)                            {}
func (discard) EndStruct()                                           {}

package value_test

import (
	"encoding/binary"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// BenchmarkDecoder reads a number, one through a pointer, and a string; the number also
// the short way.
func BenchmarkDecoder(b *testing.B) {
	record := binary.LittleEndian.AppendUint64(nil, 0xffff_8880_0000_1000)
	record = binary.LittleEndian.AppendUint32(record, 77)
	record = binary.LittleEndian.AppendUint32(record, 5<<16|16)
	record = append(record, "load\x00"...)
	fields := []value.Field{
		{Arg: 1, Size: 4, Signed: true},
		{Arg: 1, Size: 4, PointerChecks: []value.PointerCheck{{Label: "p"}}},
		{Arg: 2, Size: 1, Encoding: value.String},
	}
	slots := []value.Slot{{Offset: 0, Size: 8}, {Offset: 8, Size: 4}, {Offset: 12, Size: 4, DataLoc: true}}
	d := value.NewDecoder(fields, abi.Named("amd64"), slots, binary.LittleEndian, nil)
	for i, name := range []string{"number", "pointer", "string"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d.Value(i, record)
			}
		})
	}
	b.Run("plain", func(b *testing.B) {
		plain, ok := d.Plain(0)
		if !ok {
			b.Fatal("not plain")
		}
		b.ReportAllocs()
		for b.Loop() {
			plain.Load(record)
		}
	})
}

package value_test

import (
	"encoding/binary"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TestSureText decodes text that the kernel's own events have: it is in the record even if it
// is empty or has no final NUL. An array that is longer than what is shown is cut.
// Places may count from the end of the word that has them.
func TestSureText(t *testing.T) {
	//      0      4          8                 16
	data := []byte("\x00\x00\x0c\x00\x05\x00\x0c\x00\x0c\x00\x03\x00abcde\x00fg")
	fields := []value.Field{
		{Encoding: value.String, Arg: 0}, {Encoding: value.String, Arg: 1}, {Encoding: value.String, Arg: 2}, {Encoding: value.String, Arg: 3},
		{Encoding: value.Array, Arg: 4, Size: 1, Count: 2},
		{Encoding: value.String, Arg: 5}, {Encoding: value.Array, Arg: 6, Size: 1, Count: 3}, {Encoding: value.Array, Arg: 7, Size: 1, Count: 3},
	}
	binary.LittleEndian.PutUint32(data[0:], 0<<16|12)  // nothing
	binary.LittleEndian.PutUint32(data[4:], 6<<16|12)  // to the NUL
	binary.LittleEndian.PutUint32(data[8:], 99<<16|12) // beyond the record
	slots := []value.Slot{
		{Offset: 0, Size: 4, DataLoc: true, Sure: true}, {Offset: 4, Size: 4, DataLoc: true, Sure: true},
		{Offset: 8, Size: 4, DataLoc: true, Sure: true}, {Offset: 12, Size: 3, Sure: true}, {Offset: 4, Size: 4, DataLoc: true},
		{Offset: 8, Size: 4, DataLoc: true, Sure: true, From: 12}, {Offset: 0, Size: 4, DataLoc: true, From: 4}, {Offset: 8, Size: 4, DataLoc: true, From: 12},
	}
	const relative = 5 // the first of those
	d := value.NewDecoder(fields, abi.Named("amd64"), slots, binary.LittleEndian, nil)
	for i, want := range []string{"", "abcde", "fault", "abc", "ab", "cde", "abc", "cde"} {
		if i == relative {
			binary.LittleEndian.PutUint32(data[0:], 3<<16|8)
			binary.LittleEndian.PutUint32(data[8:], 4<<16|2)
		}
		v := d.Value(i, data)
		got := string(v.Bytes)
		if v.Kind == value.Fault {
			got = "fault"
		}
		if got != want {
			t.Errorf("field %d: %q, want %q", i, got, want)
		}
	}
	if v := d.Value(4, data); v.Uint != 6 || v.Reason != value.CutOff {
		t.Errorf("the array has %d bytes in all, cut off: %v", v.Uint, v.Reason == value.CutOff)
	}
}

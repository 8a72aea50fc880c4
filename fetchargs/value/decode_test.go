package value_test

import (
	"encoding/binary"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TestTextFaults has records of strings as kernels leave them when a string
// could not be read. "good" is at byte 12, "more" at 17.
func TestTextFaults(t *testing.T) {
	const good, more = 5<<16 | 12, 5<<16 | 17
	for _, tt := range []struct {
		name string
		locs [3]uint32
		want [3]string
	}{
		{"all read", [3]uint32{good, more, 1<<16 | 22}, [3]string{"good", "more", ""}},
		{"5.10 writes a length of 0", [3]uint32{12, good, more}, [3]string{"?", "good", "more"}},
		{"later kernels leave the place and the rest of the record", [3]uint32{10<<16 | 12, good, more}, [3]string{"?", "good", "more"}},
		{"two of them", [3]uint32{5<<16 | 12, 5<<16 | 12, good}, [3]string{"?", "?", "good"}},
		{"the last one has no rest", [3]uint32{good, more, 22}, [3]string{"good", "more", "?"}},
		{"a place outside of the record", [3]uint32{good, 5<<16 | 4000, 9999<<16 | 20}, [3]string{"good", "?", "?"}},
	} {
		r := recordTest{args: []any{place(tt.locs[0]), place(tt.locs[1]), place(tt.locs[2]), []byte("good\x00more\x00\x00")}}
		for i := range tt.locs {
			r.fields = append(r.fields, value.Field{Arg: i, Size: 1, Encoding: value.String})
		}
		d, record := r.decoder(binary.LittleEndian)
		for i, want := range tt.want {
			v := d.Value(i, record)
			got := string(v.Bytes)
			if v.Kind == value.Fault {
				got = "?"
			}
			if got != want {
				t.Errorf("%s: string %d is %q, want %q", tt.name, i, got, want)
			}
		}
	}
}

func TestNumbersBigEndian(t *testing.T) {
	fields := []value.Field{{Arg: 0, Size: 1}, {Arg: 1, Size: 2, Signed: true}, {Arg: 2, Size: 4}, {Arg: 3, Size: 8, Signed: true}}
	r := recordTest{fields: fields, args: []any{uint8(7), []byte("\xff\xfe"), []byte("\x00\x00\x01\x00"), []byte("\xff\xff\xff\xff\xff\xff\xff\xfd")}}
	d, record := r.decoder(binary.BigEndian)
	for i, want := range []int64{7, -2, 256, -3} {
		if got := int64(d.Value(i, record).Uint); got != want || plain(d, i, record) != want {
			t.Errorf("value %d is %d, want %d", i, got, want)
		}
	}
}

func plain(d *value.Decoder, i int, record []byte) int64 {
	p, ok := d.Plain(i)
	if !ok {
		return -9999
	}
	return int64(p.Load(record))
}

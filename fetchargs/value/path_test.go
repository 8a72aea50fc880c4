package value_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TestPath puts paths together: each name is followed by the address of its entry's
// parent, "" is a name that could not be read.
func TestPath(t *testing.T) {
	const entry = 0xffff888000000000
	type step struct {
		name   string
		parent uint64
	}
	for _, tt := range []struct {
		names, mount []step
		want         string
	}{
		{names: []step{{"passwd", 2}, {"etc", 3}, {"/", 3}}, want: "/etc/passwd"},
		{names: []step{{"/", 1}}, want: "/"},
		{names: []step{{"c", 2}, {"b", 3}}, want: ".../b/c"},
		{names: []step{{"c", 2}, {"", 3}}, want: ".../c"},
		{names: []step{{"memfd:x", 1}}, mount: []step{{"mnt", 12}, {"/", 12}}, want: "memfd:x"},
		{names: []step{{"status", 2}, {"7", 3}, {"/", 3}}, mount: []step{{"proc", 12}, {"/", 12}}, want: "/proc/7/status"},
		{names: []step{{"/", 1}}, mount: []step{{"proc", 12}, {"/", 12}}, want: "/proc"},
		{names: []step{{"x", 2}, {"/", 2}}, mount: []step{{"/", 11}}, want: "/x"},
		{names: []step{{"/", 1}}, mount: []step{{"/", 11}}, want: "/"},
		{names: []step{{"x", 2}, {"/", 2}}, mount: []step{{"b", 12}}, want: ".../b/x"},
		{names: []step{{strings.Repeat("a", 3000), 2}, {strings.Repeat("b", 3000), 3}, {"/", 3}}, want: ".../" + strings.Repeat("a", 3000)},
	} {
		var slots []value.Slot
		var numbers []uint64
		var texts []string
		number := func(x uint64) int {
			numbers, slots = append(numbers, x), append(slots, value.Slot{Offset: 8 * len(numbers), Size: 8})
			return len(slots) - 1
		}
		chain := func(first uint64, steps []step) *value.Path {
			p := &value.Path{Dentries: []int{number(entry + first)}}
			for _, s := range steps {
				p.Dentries = append(p.Dentries, number(entry+s.parent))
			}
			for _, s := range steps {
				slots = append(slots, value.Slot{Offset: -len(texts) - 1, Size: 4, DataLoc: true})
				p.Names, texts = append(p.Names, len(slots)-1), append(texts, s.name)
			}
			return p
		}
		path := chain(1, tt.names)
		if tt.mount != nil {
			path.Mount = chain(11, tt.mount)
		}
		var record []byte
		for _, x := range numbers {
			record = binary.LittleEndian.AppendUint64(record, x)
		}
		locs := len(record)
		record = append(record, make([]byte, 4*len(texts))...)
		for i, text := range texts {
			loc := uint32(len(record))
			if text != "" {
				record = append(record, text+"\x00"...)
				loc |= uint32(len(text)+1) << 16
			}
			binary.LittleEndian.PutUint32(record[locs+4*i:], loc)
		}
		for i := range slots {
			if n := slots[i].Offset; n < 0 {
				slots[i].Offset = locs + 4*(-n-1)
			}
		}
		field := value.Field{Label: "file", Encoding: value.String, Arg: path.Names[0], Path: path}
		d := value.NewDecoder([]value.Field{field}, abi.Named("amd64"), slots, binary.LittleEndian, nil)
		if got := d.Value(0, record); got.Kind != value.Text || string(got.Bytes) != tt.want {
			t.Errorf("%v: %q, want %q", tt.names, got.Bytes, tt.want)
		}
		if n := testing.AllocsPerRun(10, func() { d.Value(0, record) }); n > 0 {
			t.Errorf("%v: %v allocations", tt.names, n)
		}
	}
}

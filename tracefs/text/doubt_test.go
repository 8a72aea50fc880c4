package text

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
)

// TestDoubts has lines of kernels, where a and d are read through a pointer that is not in
// memory itself, b is not in memory, and c is the task's name; and lines that somebody forged.
func TestDoubts(t *testing.T) {
	for _, tt := range []struct {
		kernel, fields string
		want           string // of a, d, b, n, c
	}{
		{"6.12", `a="cat" d="cat" b=(fault) n=0 c="cat"`, "\x01\x01\x00\x00\x00"},
		{"5.10", `a=(fault) d=(fault) b=(fault) n=0 c="cat"`, "\x00\x00\x00\x00\x00"},
		{"other strings", `a="x" d="cat" b="y" n=0 c="x"`, "\x00\x00\x00\x00\x00"},
		{"an empty one", `a="" d="" b="y" n=0 c="x"`, "\x01\x00\x00\x00\x00"},
		{"d twice", `a="x" d="y" d="z" b="b" n=0 c="x"`, "\x02\x02\x00\x00\x00"},
		{"b twice", `a="x" d="y" b="b" b="b" n=0 c="x"`, "\x00\x02\x02\x00\x00"},
		{"n twice", `a="x" d="y" b="b" n=0 c="x" n=0 c="y"`, "\x00\x00\x02\x00\x00"},
		{"a quote alone", `a="x" dd="y" d="z" b="d=" n=0 c="x"`, "\x00\x00\x00\x00\x00"},
	} {
		f := &tracefs.Format{Name: "y", ID: 1, Size: 2, Fields: []tracefs.FormatField{{Name: "common_type", Size: 2}}}
		for _, name := range []string{"a", "d", "b", "n", "c"} {
			f.Fields = append(f.Fields, tracefs.FormatField{Name: name, Type: "string", Offset: f.Size, Size: 4, DataLoc: name != "n"})
			f.Size += 4
		}
		with, at := WithDoubts(f)
		line := "             cat-159     [001] .....    13.702327: y: (do_sys_openat2+0x0/0xe0) " + tt.fields + "\n"
		events := pasteAll(t, NewParser(Options{Formats: []*tracefs.Format{with}, Pasted: true, Order: binary.LittleEndian}), strings.NewReader(line))
		if len(events) != 1 {
			t.Fatalf("%s: %d events", tt.kernel, len(events))
		}
		if got := string(events[0].Data[at : at+5]); at != 22 || got != tt.want {
			t.Errorf("%s: %s\n got %q at %d\nwant %q", tt.kernel, tt.fields, got, at, tt.want)
		}
		if len(f.Fields) != 6 || f.Size != 22 {
			t.Errorf("the format was changed to %+v", f)
		}
	}
}

package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/store"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// TestOffsets: whatever is damaged, the error says where.
func TestOffsets(t *testing.T) {
	// One int, and a struct after it whose kind is invalid.
	types := func(kind uint32, size int) []byte {
		var b []byte
		for _, n := range []uint32{1, 1 << 24, 4, 32, 0, kind<<24 | 1, 8, 0, 1, 0} {
			b = binary.LittleEndian.AppendUint32(b, n)
		}
		head := []byte{0x9f, 0xeb, 1, 0}
		for _, n := range []int{24, 0, size, len(b), 5} {
			head = binary.LittleEndian.AppendUint32(head, uint32(n))
		}
		return append(append(head, b...), "\x00int\x00"...)
	}
	openBTF := func(b []byte) error {
		file := filepath.Join(t.TempDir(), "btf")
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := btf.Open(file).Func("", "f")
		return err
	}
	loadPlans := func(text string) error { _, err := store.Load([]byte(text)); return err }
	page := func(data string, size uint64) error {
		b := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 0), size)
		var p ringbuf.Page
		if err := p.Reset(ringbuf.Layout{LongSize: 8}, append(b, data...)); err != nil {
			return err
		}
		for p.Next() {
		}
		return p.Err()
	}
	openData := func(text string) error {
		_, err := tracedat.Open(bytes.NewReader([]byte(text)), int64(len(text)))
		return err
	}
	format := func(text string) error { _, err := tracefs.ParseFormat(strings.NewReader(text)); return err }
	header := func(text string) error { _, err := tracefs.ParseHeaderPage(strings.NewReader(text)); return err }
	stats := func(text string) error { _, err := tracefs.ParseCPUStats(strings.NewReader(text)); return err }
	for _, tt := range []struct {
		name, want string
		err        error
	}{
		{"BTF that is cut off", "at byte 10:", openBTF(types(4, 40)[:10])},
		{"BTF with too many types", "at byte 12:", openBTF(types(4, 4000))},
		{"BTF of a kind that is none", "at byte 44:", openBTF(types(25, 40))},
		{"BTF whose last type is cut off", "at byte 40:", openBTF(types(4, 36))},
		{"an ELF file", "at byte 0x", openBTF([]byte("\x7fELF" + strings.Repeat("\xff", 60)))},
		{"the number of an event", "line 2:", format("name: x\nID: y\n")},
		{"a field", "line 3:", format("name: x\nID: 7\n\tfield:int a;\toffset:-1;\tsize:4;\tsigned:1;\n")},
		{"a line that is too long", "line 2:", format("name: x\n" + strings.Repeat("y", 2<<20))},
		{"header_page", "line 1:", header("\tfield: u64 timestamp;\toffset:0;\tsize:99999999;\tsigned:0;\n")},
		{"stats", "line 2:", stats("entries: 1\noverrun: x\n")},
		{"plans that are not JSON", "at byte 13:", loadPlans(`{"version":3}}`[:12] + "x")},
		{"plans of another type", "at byte ", loadPlans(`{"version":3,"plans":7}`)},
		{"a page beyond its end", "at byte 16", page("1234", 4000)},
		{"a record beyond the page", "at byte 16", page("\x1c\x00\x00\x00", 4)},
		{"a recording of another version", "at byte 10:", openData("\x17\x08\x44tracing99\x00\x00\x08\x00\x10\x00\x00")},
		{"a recording that is cut off", "at byte ", openData("\x17\x08\x44tracing6\x00\x00\x08")},
	} {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", tt.name, tt.err, tt.want)
		}
	}
}

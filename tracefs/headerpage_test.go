package tracefs

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

func TestRecordedHeaderPage(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel string, fsys *FS) {
		want := HeaderPage{LongSize: 8, Data: 16, Size: 4096}
		if got := parsed(t, fsys, "events/header_page", ParseHeaderPage); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		layout, size, err := fsys.newSession("tsnoop_1", nil).PageLayout()
		native := ringbuf.Layout{LongSize: 8, BigEndian: binary.NativeEndian.Uint16([]byte{0, 1}) == 1}
		if layout != native || size != 4096 || err != nil {
			t.Errorf("PageLayout: got %+v of %d bytes, %v", layout, size, err)
		}
	})
}

// page32 is what a kernel with longs of 4 bytes writes.
const page32 = `	field: u64 timestamp;	offset:0;	size:8;	signed:0;
	field: local_t commit;	offset:8;	size:4;	signed:1;
	field: int overwrite;	offset:8;	size:1;	signed:1;
	field: char data;	offset:12;	size:4084;	signed:1;
`

func TestParseHeaderPage(t *testing.T) {
	change := func(old, text string) string { return strings.Replace(page32, old, text, 1) }
	for _, tt := range []struct {
		name, text string
		want       HeaderPage
		err        error
	}{
		{name: "32 bits", text: page32, want: HeaderPage{LongSize: 4, Data: 12, Size: 4096}},
		{name: "large pages", text: change("4084", "65524"), want: HeaderPage{LongSize: 4, Data: 12, Size: 65536}},
		{name: "other fields", text: page32 + "\tfield: u8 x;\toffset:99;\tsize:1;\n\nmore\n", want: HeaderPage{LongSize: 4, Data: 12, Size: 4096}},
		{name: "nothing", err: ErrFormat},
		{name: "no commit", text: change("commit", "other"), err: ErrFormat},
		{name: "no data", text: change("data", "other"), err: ErrFormat},
		{name: "commit of 6 bytes", text: change("size:4;", "size:6;"), err: ErrFormat},
		{name: "data elsewhere", text: change("offset:12", "offset:16"), err: ErrFormat},
		{name: "no room for data", text: change("size:4084", "size:0"), err: ErrFormat},
		{name: "not a number", text: change("size:4084", "size:many"), err: ErrFormat},
		{name: "no offset", text: change("offset:12;", ""), err: ErrFormat},
		{name: "more than any page", text: change("4084", "99999999"), err: ErrFormat},
	} {
		got, err := ParseHeaderPage(strings.NewReader(tt.text))
		if !errors.Is(err, tt.err) || err == nil && got != tt.want {
			t.Errorf("%s: got %+v, %v, want %+v, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
	if _, err := ParseHeaderPage(iotest.ErrReader(os.ErrDeadlineExceeded)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a read that fails: got %v", err)
	}
}

// TestPageLayout tests that the instance's own size goes before header_page's.
func TestPageLayout(t *testing.T) {
	const own = "instances/x/buffer_subbuf_size_kb"
	for _, tt := range []struct {
		name  string
		files map[string]string
		size  int
		bad   string // the file that the error names
	}{
		{name: "before 6.8", files: map[string]string{"events/header_page": page32}, size: 4096},
		{name: "its own", files: map[string]string{"events/header_page": page32, own: "64\n"}, size: 64 << 10},
		{name: "not a number", files: map[string]string{"events/header_page": page32, own: "?\n"}, bad: own},
		{name: "no header_page", files: map[string]string{own: "4\n"}, bad: "events/header_page"},
		{name: "header_page is empty", files: map[string]string{"events/header_page": ""}, bad: "events/header_page"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, "kprobe_events", "")
			for name, text := range tt.files {
				put(t, dir, name, text)
			}
			fsys, err := At(dir)
			if err != nil {
				t.Fatal(err)
			}
			layout, size, err := fsys.newSession("x", nil).PageLayout()
			if tt.bad == "" && (err != nil || layout.LongSize != 4 || size != tt.size) {
				t.Errorf("got %+v of %d bytes, %v, want %d bytes", layout, size, err, tt.size)
			}
			if tt.bad != "" && (err == nil || !strings.Contains(err.Error(), tt.bad)) {
				t.Errorf("got %v, want an error about %s", err, tt.bad)
			}
		})
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

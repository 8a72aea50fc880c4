package tracedat

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorded are the files of testdata: see README.md there.
var recorded = []string{"v6", "v7-none", "v7-zlib", "v7-zstd"}

func load(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".trace.dat"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// open opens a file that is whole.
func open(t testing.TB, b []byte) *File {
	t.Helper()
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if f.Damage != nil {
		t.Fatal(f.Damage)
	}
	return f
}

// readAll returns all pages of a CPU and the error after them, nil for io.EOF.
func readAll(c *CPU) (pages []byte, err error) {
	p := c.Pages()
	for {
		page, err := p.Next()
		if err == io.EOF {
			err = nil
		}
		if page == nil {
			if _, again := p.Next(); !errors.Is(again, err) && err != nil {
				return pages, errors.New("the error does not stay")
			}
			return pages, err
		}
		pages = append(pages, page...)
	}
}

func TestOpenRecorded(t *testing.T) {
	for _, name := range recorded {
		t.Run(name, func(t *testing.T) {
			f := open(t, load(t, name))
			version, compression, ok := strings.Cut(strings.TrimPrefix(name, "v"), "-")
			if !ok {
				compression = "none"
			}
			if got := string('0' + rune(f.Version)); got != version || f.Compression != compression {
				t.Errorf("version %s with %s, want %s with %s", got, f.Compression, version, compression)
			}
			if f.BigEndian || f.LongSize != 8 || f.PageSize != 4096 || f.Clock != "local" || !f.Nanoseconds() {
				t.Errorf("big-endian %t, long %d, page %d, clock %q", f.BigEndian, f.LongSize, f.PageSize, f.Clock)
			}
			if f.CPUCount != 2 || f.Uname != "Linux (none) 6.12.117+deb12-cloud-amd64 x86_64" ||
				f.Tsnoop != nil || f.Latency || f.TimeShift || f.TimeOffset != 0 {
				t.Errorf("options: %+v", f)
			}
			if want := map[int]string{
				28: "kworker/1:0", 158: "tail", 159: "trace-cmd", 160: "trace-cmd", 161: "gop", 162: "gop", 163: "gop", 164: "gop",
			}; !cmp.Equal(f.Cmdlines, want) {
				t.Error(cmp.Diff(want, f.Cmdlines))
			}
			if n := bytes.Count(kallsyms(t, f), []byte("\n")); n != 300 || !bytes.Contains(kallsyms(t, f), []byte(" ksys_lseek\n")) {
				t.Errorf("%d lines of kallsyms", n)
			}
			if !bytes.Contains(f.Printk, []byte(`: "CPU_ON"`)) || !strings.Contains(f.HeaderPage, "local_t commit") ||
				!strings.Contains(f.HeaderEvent, "type_len") {
				t.Errorf("printk %.40q, header_page %q, header_event %q", f.Printk, f.HeaderPage, f.HeaderEvent)
			}
			checkEvents(t, f)
		})
	}
}

func checkEvents(t *testing.T, f *File) {
	t.Helper()
	var names []string
	for _, e := range f.Events {
		if e.System != "ftrace" {
			name, _, _ := strings.Cut(e.Text, "\n")
			names = append(names, e.System+" "+name)
		}
	}
	slices.Sort(names)
	if want := []string{"t name: seek", "t name: seekr"}; len(f.Events) != 20 || !cmp.Equal(names, want) {
		t.Errorf("%d events, of them %q, want 20 and %q", len(f.Events), names, want)
	}
}

// The pages of all files are the same: those that are in the uncompressed ones.
func TestPagesRecorded(t *testing.T) {
	want := map[int][]byte{}
	v6 := load(t, "v6")
	for _, c := range open(t, v6).Buffers[0].CPUs {
		want[c.ID] = v6[c.offset:][:c.Size]
	}
	if len(want) != 2 || len(want[0]) != 14*4096 || len(want[1]) != 6*4096 {
		t.Fatalf("%d CPUs, %d and %d bytes", len(want), len(want[0]), len(want[1]))
	}
	for _, name := range recorded {
		f := open(t, load(t, name))
		if len(f.Buffers) != 1 || f.Buffers[0].Name != "" || f.Buffers[0].Clock != "local" || len(f.Buffers[0].CPUs) != 2 {
			t.Fatalf("%s: buffers %+v", name, f.Buffers)
		}
		for i := range f.Buffers[0].CPUs {
			c := &f.Buffers[0].CPUs[i]
			got, err := readAll(c)
			if err != nil || !bytes.Equal(got, want[c.ID]) {
				t.Errorf("%s: CPU %d: %d bytes, sum %x, %v", name, c.ID, len(got), sha256.Sum256(got), err)
			}
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, tt := range []struct {
		file string
		want error
	}{
		{"", ErrTruncated},
		{"\x17\x08\x44trac", ErrTruncated},
		{"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00", ErrNotTrace},
		{magic + "6\x00\x00\x08", ErrTruncated},
		{magic + "5\x00\x00\x08\x00\x10\x00\x00", ErrUnsupported},
		{magic + "7\x00\x00\x08\x00\x10\x00\x00lzma\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00", ErrUnsupported},
		{magic + "7\x00\x00\x08\x00\x10\x00\x00zstd\x00", ErrTruncated},
		{magic + strings.Repeat("6", 10_000), ErrDamaged},
	} {
		f, err := Open(strings.NewReader(tt.file), int64(len(tt.file)))
		if f != nil || !errors.Is(err, tt.want) {
			t.Errorf("%.40q: got %v, %v, want %v", tt.file, f, err, tt.want)
		}
	}
}

// TestTime expects what trace-cmd 3.1.6 prints for the time stamp 9878302687 of a file
// with such options, put in by hand.
func TestTime(t *testing.T) {
	const ts = 9878302687
	for _, tt := range []struct {
		id    uint16
		data  string
		clock string
		want  uint64
		ns    bool
	}{
		{optCPUCount, "\x02\x00\x00\x00", "local", 9878302687, true},
		{optTSCToNS, "\x03\x00\x00\x00\x01\x00\x00\x00\x40\x42\x0f\x00\x00\x00\x00\x00", "x86-tsc", 14817454030, true},
		{optCPUCount, "\x02\x00\x00\x00", "x86-tsc", 9878302687, false},
		{optCPUCount, "\x02\x00\x00\x00", "counter", 9878302687, false},
		{optCPUCount, "\x02\x00\x00\x00", "tai", 9878302687, true},
		{optOffset, "1000000000\x00", "mono", 10878302687, true},
		{optOffset, "-0x10\x00", "mono_raw", 9878302671, true},
		{optOffset, "99 bottles\x00", "mono_raw", 9878302786, true},
		{optOffset, "bottles\x00", "mono_raw", 9878302687, true},
		{optDate, "0x1000000\x00", "local", 26655518687, true},
		// Not from trace-cmd: shifts that are not defined in C.
		{optTSCToNS, "\xff\xff\xff\xff\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "x86-tsc", 9878302684, true},
		{optTSCToNS, "\xff\xff\xff\xff\x41\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "x86-tsc", 1, true},
		{optTSCToNS, "\x01\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "x86-tsc", 0, true},
	} {
		b := load(t, "v6")
		b = insertOption(t, bytes.ReplaceAll(b, []byte("[local]"), []byte("["+tt.clock+"] ")), tt.id, tt.data)
		f, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		f.Clock = tt.clock
		if got := f.Time(ts); got != tt.want || f.Nanoseconds() != tt.ns {
			t.Errorf("option %d %q, clock %s: %d, ns %t, want %d, %t", tt.id, tt.data, tt.clock, got, f.Nanoseconds(), tt.want, tt.ns)
		}
	}
}

// TestSizes: the sizes of a long and a page are in the header, and in the text about the
// pages, which is right where it makes sense.
func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		long       byte
		page       uint32
		size, data string // of the text
		wantLong   int
		wantPage   int
		damaged    bool
	}{
		{8, 4096, "8", "4080", 8, 4096, false},
		{4, 4096, "8", "4080", 8, 4096, false},
		{8, 4096, "4", "4080", 4, 4096, false},
		{4, 4096, "2", "4080", 4, 4096, false},
		{3, 4096, "2", "4080", 8, 4096, true},
		{8, 256, "8", "0000", 8, 256, false},
		{8, 255, "8", "0000", 8, 4096, true},
		{8, 256, "8", "8176", 8, 8192, false},
		{8, 16384, "8", "8176", 8, 16384, false},
		{8, 8 << 20, "8", "4080", 8, 8 << 20, false},
		{8, 16 << 20, "8", "4080", 8, 4096, false},
		{8, 12288, "8", "4080", 8, 4096, false},
		{8, 12288, "8", "4079", 8, 4096, true},
	} {
		b := write(t, testHeader(6), nil)
		b[len(magic)+3] = tt.long
		binary.LittleEndian.PutUint32(b[len(magic)+4:], tt.page)
		b = bytes.Replace(b, []byte("offset:8;\tsize:8"), []byte("offset:8;\tsize:"+tt.size), 1)
		b = bytes.Replace(b, []byte("size:4080"), []byte("size:"+tt.data), 1)
		f, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil || f.LongSize != tt.wantLong || f.PageSize != tt.wantPage || (f.Damage != nil) != tt.damaged || (f.Buffers == nil) != tt.damaged {
			t.Errorf("%+v: long of %d, page of %d, %v, damage %v", tt, f.LongSize, f.PageSize, err, f.Damage)
		}
	}
}

// TestClocks: a buffer's own clock precedes that of the options.
func TestClocks(t *testing.T) {
	b := write(t, testHeader(6), nil)
	for _, tt := range []struct{ option, table, want string }{
		{"[mono]", "[boot]", "boot"}, {"[mono]", "nobody", "mono"}, {"nobody", "[boot]", "boot"}, {"nobody", "nobody", ""},
	} {
		got := bytes.Replace(b, []byte("[mono]"), []byte(tt.option), 1)
		copy(got[bytes.LastIndex(b, []byte("[mono]")):], tt.table)
		if f := open(t, got); f.Clock != tt.want {
			t.Errorf("%s in the options, %s after the table: %q", tt.option, tt.table, f.Clock)
		}
	}
	got := bytes.Replace(withInstance(t, load(t, "v7-none")), []byte("[local]"), []byte("nobody."), 1)
	if f := open(t, got); f.Clock != "local" {
		t.Errorf("not in the options: %q", f.Clock)
	}
}

// insertOption puts an option in front of those of a version 6 file, whose data
// then begin later. The offsets in its table are not corrected.
func insertOption(t *testing.T, b []byte, id uint16, data string) []byte {
	t.Helper()
	at := bytes.Index(b, []byte(markOptions))
	if at < 0 {
		t.Fatal("no options")
	}
	at += len(markOptions)
	e := (&Header{}).encoder()
	e.option(id, data)
	return slices.Concat(b[:at], e.b, b[at:])
}

func kallsyms(t *testing.T, f *File) []byte {
	t.Helper()
	b, err := f.Kallsyms()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

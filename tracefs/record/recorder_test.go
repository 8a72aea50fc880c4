package record

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/testdata/recordings"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc/symbols"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

const pageSize = recordings.PageSize

// A recorderTest is a recording of a few pages, ready to be saved.
type recorderTest struct {
	*testing.T
	rec   *Recorder
	pages []byte
}

func newRecorderTest(t *testing.T, name string) *recorderTest {
	rt := &recorderTest{T: t}
	var h *tracedat.Header
	h, rt.pages = readFixture(t)
	var err error
	if rt.rec, err = New(name, Options{Sync: time.Second}, nil); err != nil {
		t.Fatal(err)
	}
	if err := rt.rec.Begin(h, symbols.Running()); err != nil {
		t.Fatal(err)
	}
	for page := rt.pages; len(page) > 0; page = page[pageSize:] {
		if err := rt.rec.add(read.Page{CPU: 3, Data: page[:pageSize]}, 1, 0); err != nil {
			t.Fatal(err)
		}
	}
	return rt
}

func (rt *recorderTest) header() *tracedat.Header {
	h, _ := readFixture(rt)
	return h
}

// holds checks what files there are.
func (rt *recorderTest) holds(dir string, want ...string) {
	rt.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		rt.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		rt.Errorf("there are %q, want %q", got, want)
	}
}

// shows checks that the recording is a file only for its user, with the pages and what
// tsnoop needs to show them.
func (rt *recorderTest) shows() {
	rt.Helper()
	name := rt.rec.name
	info, err := os.Lstat(name)
	if err != nil || info.Mode() != 0o600 {
		rt.Fatalf("%v, %v", info, err)
	}
	f, err := os.Open(name)
	rt.must(err)
	defer f.Close()
	file, err := tracedat.Open(f, info.Size())
	rt.must(err)
	if want := rt.header(); !bytes.Equal(file.Tsnoop, want.Tsnoop) || len(file.Events) != len(want.Events) {
		rt.Errorf("%d events, %s", len(file.Events), file.Tsnoop)
	}
	rt.must(contains(file, []tracedat.CPUSource{{ID: 3, Size: int64(len(rt.pages)), Pages: bytes.NewReader(rt.pages)}}))
}

func (rt *recorderTest) recover() error {
	_, err := Recover(rt.rec.name, false, nil)
	return err
}

// kept checks that err names the files that are kept and what makes one of them.
func (rt *recorderTest) kept(err error, why string) {
	rt.Helper()
	var e *KeptError
	if !errors.As(err, &e) || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "t.dat.cpu3, ") ||
		!strings.Contains(err.Error(), "t.dat.head") || !e.Recoverable || e.Name != rt.rec.name {
		rt.Errorf("%v", err)
	}
}

func TestRecorderSaved(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "t.dat")
	if err := os.WriteFile(name, []byte("older"), 0o644); err != nil {
		t.Fatal(err)
	}
	rt := newRecorderTest(t, name)
	rt.holds(dir, "t.dat", "t.dat.cpu3", "t.dat.head", "t.dat.sum", "t.dat.sym")
	if err := rt.rec.Close(rt.rec.save(rt.header())); err != nil {
		t.Fatal(err)
	}
	rt.holds(dir, "t.dat")
	rt.shows()
}

// Nothing is left of a recording that did not begin, and an older one stays.
func TestRecorderEmpty(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "t.dat")
	if err := os.WriteFile(name, []byte("older"), 0o644); err != nil {
		t.Fatal(err)
	}
	rec, err := New(name, Options{Sync: time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Close(io.ErrUnexpectedEOF); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	if b, err := os.ReadFile(name); string(b) != "older" {
		t.Errorf("%q, %v", b, err)
	}
	(&recorderTest{T: t}).holds(dir, "t.dat")
}

// When the file cannot be written an older one stays, and the pages, of which
// recover makes it.
func TestRecorderKept(t *testing.T) {
	for _, tt := range []struct {
		name, why string
		spoil     func(rt *recorderTest)
		mend      func(rt *recorderTest)
	}{
		{"no file can be made", "t.dat.tmp: file exists",
			func(rt *recorderTest) { rt.must(os.Mkdir(rt.rec.tmpName(), 0o700)) },
			func(rt *recorderTest) { rt.must(os.Remove(rt.rec.tmpName())) }},
		{"pages are gone", "unexpected EOF",
			func(rt *recorderTest) {
				rt.must(rt.rec.flush())
				rt.must(os.Truncate(rt.rec.cpuName(3), pageSize/2))
			},
			func(rt *recorderTest) {
				rt.must(os.WriteFile(rt.rec.cpuName(3), append(bytes.Clone(rt.pages), "half a page"...), 0o600))
			}},
		{"the name is taken", "t.dat",
			func(rt *recorderTest) {
				rt.must(os.Remove(rt.rec.name))
				rt.must(os.MkdirAll(rt.rec.name+"/x", 0o700))
			},
			func(rt *recorderTest) {
				rt.must(os.RemoveAll(rt.rec.name))
				rt.must(os.WriteFile(rt.rec.name, []byte("older"), 0o644))
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "t.dat")
			if err := os.WriteFile(name, []byte("older"), 0o644); err != nil {
				t.Fatal(err)
			}
			rt := newRecorderTest(t, name)
			tt.spoil(rt)
			rt.kept(rt.rec.Close(rt.rec.save(rt.header())), tt.why)
			tt.mend(rt)
			if b, err := os.ReadFile(name); string(b) != "older" {
				t.Errorf("%q, %v", b, err)
			}
			rt.holds(dir, "t.dat", "t.dat.cpu3", "t.dat.head", "t.dat.sum", "t.dat.sym")
			rt.must(rt.recover())
			rt.holds(dir, "t.dat")
			rt.shows()
		})
	}
}

func (rt *recorderTest) must(err error) {
	rt.Helper()
	if err != nil {
		rt.Fatal(err)
	}
}

// A recorder that was killed while it wrote the file has left a piece of it.
func TestRecoverKilledWriting(t *testing.T) {
	dir := t.TempDir()
	rt := newRecorderTest(t, filepath.Join(dir, "t.dat"))
	rt.must(rt.rec.flush())
	rt.must(os.WriteFile(rt.rec.tmpName(), []byte("a piece"), 0o600))
	var m *tracefs.HostError
	if err := rt.recover(); !errors.As(err, &m) || !strings.Contains(m.Msg, "still recording") {
		t.Errorf("%v", err)
	}
	rt.must(rt.rec.head.Close()) // so does the kernel
	rt.must(rt.recover())
	rt.holds(dir, "t.dat")
	rt.shows()
}

// TestReviseKilled: what a recorder has revised before it was killed is in what is recovered.
// Until then nobody else can recover it, and if it cannot be revised, all is as it was.
func TestReviseKilled(t *testing.T) {
	for _, tt := range []struct {
		name, want, warned string
		revise             func(rt *recorderTest, own []byte) ([]byte, error)
	}{
		{"revised", " ", "", func(_ *recorderTest, own []byte) ([]byte, error) { return append(own, ' '), nil }},
		{"failed", "", "is killed: EOF", func(*recorderTest, []byte) ([]byte, error) { return nil, io.EOF }},
		{"in the way", "", "file exists", func(rt *recorderTest, own []byte) ([]byte, error) {
			return append(own, ' '), os.WriteFile(rt.rec.tmpName(), nil, 0o600)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, warned := t.TempDir(), ""
			rt := newRecorderTest(t, filepath.Join(dir, "t.dat"))
			rt.rec.warner = func(w tracefs.Warning) { warned += w.Text }
			rt.rec.Revise(func(own []byte) ([]byte, error) { return tt.revise(rt, own) })
			if !strings.Contains(warned, tt.warned) || tt.warned == "" && warned != "" {
				t.Errorf("warned: %q, want %q", warned, tt.warned)
			}
			rt.must(rt.rec.flush())
			if err := rt.recover(); err == nil || !strings.Contains(err.Error(), "still recording") {
				t.Errorf("%v", err)
			}
			rt.must(rt.rec.head.Close()) // so does the kernel
			rt.must(rt.recover())
			rt.holds(dir, "t.dat")
			f, err := os.Open(rt.rec.name)
			rt.must(err)
			defer f.Close()
			info, err := f.Stat()
			rt.must(err)
			file, err := tracedat.Open(f, info.Size())
			rt.must(err)
			if got, want := string(file.Tsnoop), string(rt.header().Tsnoop)+tt.want; got != want {
				t.Errorf("it has %q, want %q", got, want)
			}
		})
	}
}

func TestRecorderRefused(t *testing.T) {
	for _, tt := range []struct {
		name, file, link, want string
	}{
		{"a symbolic link", "", "t.dat", "t.dat is a symbolic link"},
		{"a link that leads nowhere", "", "t.dat", "t.dat is a symbolic link"},
		{"pages of trace-cmd", "t.dat.cpu0", "", "left its pages in .*t.dat.cpu0"},
		{"pages", "t.dat.head", "", "left its pages in .*t.dat.head"},
		{"a link for the head", "", "t.dat.head", "t.dat.head is a symbolic link"},
		{"a piece", "t.dat.tmp", "", "t.dat.tmp is in the way"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, elsewhere := t.TempDir(), t.TempDir()
			target := filepath.Join(elsewhere, "target")
			if tt.link != "" {
				if !strings.Contains(tt.name, "nowhere") {
					os.WriteFile(target, []byte("precious"), 0o600)
				}
				if err := os.Symlink(target, filepath.Join(dir, tt.link)); err != nil {
					t.Fatal(err)
				}
			}
			if tt.file != "" {
				if err := os.WriteFile(filepath.Join(dir, tt.file), []byte("precious"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			rec, err := New(filepath.Join(dir, "t.dat"), Options{Sync: time.Second}, nil)
			parts := strings.Split(tt.want, ".*")
			if err == nil || !strings.Contains(err.Error(), parts[0]) || !strings.Contains(err.Error(), parts[len(parts)-1]) {
				t.Fatalf("%v, %v", rec, err)
			}
			var left *LeftError
			if errors.As(err, &left) && left.Recoverable != strings.Contains(tt.want, "head") {
				t.Errorf("%+v", left)
			}
			for _, name := range []string{filepath.Join(dir, tt.file), target} {
				if b, err := os.ReadFile(name); err == nil && string(b) != "precious" {
					t.Errorf("%s: %q", name, b)
				}
			}
		})
	}
}

// TestRecorderLinkMeanwhile: a link that is made in between is not followed either.
func TestRecorderLinkMeanwhile(t *testing.T) {
	dir := t.TempDir()
	rt := newRecorderTest(t, filepath.Join(dir, "t.dat"))
	target := filepath.Join(t.TempDir(), "target")
	rt.must(os.Symlink(target, rt.rec.cpuName(4)))
	err := rt.rec.add(read.Page{CPU: 4, Data: rt.pages[:pageSize]}, 1, 0)
	if !errors.Is(err, os.ErrExist) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(target); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the link was followed: %v", err)
	}
	rt.must(rt.rec.Close(rt.rec.save(rt.header()))) // what was taken by then
	rt.shows()
}

func TestRecoverRefused(t *testing.T) {
	dir := t.TempDir()
	rt := newRecorderTest(t, filepath.Join(dir, "t.dat"))
	head, err := os.ReadFile(rt.rec.headName())
	rt.must(err)
	rt.kept(rt.rec.Close(io.ErrShortWrite), io.ErrShortWrite.Error())
	for _, tt := range []struct {
		name string
		head []byte // nil for none
		want string
	}{
		{"none", nil, "does not exist"},
		{"empty", []byte{}, "without it nobody understands the pages"},
		{"cut", head[:len(head)/2], "without it nobody understands the pages"},
		{"another's", bytes.ReplaceAll(head[:len(head)-tracedat.SumSize], []byte("TSN\x01"), []byte("TSN\x02")), "not a header that tsnoop wrote"},
	} {
		if tt.head == nil {
			rt.must(os.Remove(rt.rec.headName()))
		} else {
			rt.must(os.WriteFile(rt.rec.headName(), tt.head, 0o600))
		}
		err := rt.recover()
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
		var m *tracefs.HostError
		if tt.name != "another's" && (!errors.As(err, &m) || m.Hint != restore) {
			t.Errorf("%s: no hint: %#v", tt.name, err)
		}
		if _, err := os.Stat(rt.rec.cpuName(3)); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	rt.must(os.WriteFile(rt.rec.headName(), head, 0o600))
	rt.must(rt.recover())
	rt.shows()
	rt.must(os.WriteFile(rt.rec.headName(), nil, 0o600)) // of a recorder that was killed while it armed
	var m *tracefs.HostError
	if err := rt.recover(); !errors.As(err, &m) || !strings.Contains(m.Msg, "nothing was recorded") || m.Hint != "remove "+rt.rec.headName() {
		t.Errorf("%v", err)
	}
	rt.shows()
}

// readFixture returns a header, a new one each time, and the pages of its calls.
func readFixture(t testing.TB) (*tracedat.Header, []byte) {
	t.Helper()
	h, pages, err := recordings.Read()
	if err != nil {
		t.Fatal(err)
	}
	return h, pages
}

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// A recordingTest is a recording of one page, ready to be saved.
type recordingTest struct {
	*testing.T
	*crafted
	rec  *recording
	said bytes.Buffer
	ui   *ui
}

func newRecordingTest(t *testing.T, name string) *recordingTest {
	rt := &recordingTest{T: t, crafted: sample(t, craftedSpecs...)}
	rt.ui = &ui{stderr: &rt.said}
	var err error
	if rt.rec, err = newRecording(name, rt.ui); err != nil {
		t.Fatal(err)
	}
	rt.rec.pageSize = craftedPage
	rt.rec.begin(rt.header(), trace.NewMachine(nil)).Wait()
	for page := rt.pages; len(page) > 0; page = page[craftedPage:] {
		if err := rt.rec.add(read.Page{CPU: 3, Data: page[:craftedPage]}); err != nil {
			t.Fatal(err)
		}
	}
	return rt
}

// holds checks what files there are.
func (rt *recordingTest) holds(dir string, want ...string) {
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

// shows checks that the recording is a file only for its user that replay shows.
func (rt *recordingTest) shows() {
	rt.Helper()
	name := rt.rec.name
	info, err := os.Lstat(name)
	if err != nil || info.Mode() != 0o600 {
		rt.Fatalf("%v, %v", info, err)
	}
	out := filepath.Join(rt.TempDir(), "out")
	o, err := parseArgs([]string{"replay", "-o", out, name})
	if err == nil {
		err = runReplay(o, rt.ui)
	}
	if err != nil {
		rt.Fatal(err)
	}
	if b, err := os.ReadFile(out); err != nil || !strings.Contains(string(b), "ip_rcv(") {
		rt.Errorf("replay shows %q, %v", b, err)
	}
}

func (rt *recordingTest) recover() error {
	o, err := parseArgs([]string{"record", "--recover", rt.rec.name})
	if err != nil {
		rt.Fatal(err)
	}
	return runRecord(o, rt.ui)
}

// kept checks that err names the files that are kept and what makes one of them.
func (rt *recordingTest) kept(err error, why string) {
	rt.Helper()
	var m *tracefs.MachineError
	if !errors.As(err, &m) || !strings.Contains(m.Msg, why) || !strings.Contains(m.Msg, "t.dat.cpu3, ") ||
		!strings.Contains(m.Msg, "t.dat.head") || !strings.Contains(m.Cure, "tsnoop record --recover "+rt.rec.name) {
		rt.Errorf("%v", err)
	}
}

func TestRecordingSaved(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "t.dat")
	if err := os.WriteFile(name, []byte("older"), 0o644); err != nil {
		t.Fatal(err)
	}
	rt := newRecordingTest(t, name)
	rt.holds(dir, "t.dat", "t.dat.cpu3", "t.dat.head")
	if err := rt.rec.close(rt.rec.save(rt.header())); err != nil {
		t.Fatal(err)
	}
	rt.holds(dir, "t.dat")
	rt.shows()
}

// Nothing is left of a recording that did not begin, and an older one stays.
func TestRecordingEmpty(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "t.dat")
	if err := os.WriteFile(name, []byte("older"), 0o644); err != nil {
		t.Fatal(err)
	}
	rec, err := newRecording(name, &ui{stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.close(errInterrupted); err != errInterrupted {
		t.Error(err)
	}
	if b, err := os.ReadFile(name); string(b) != "older" {
		t.Errorf("%q, %v", b, err)
	}
	(&recordingTest{T: t}).holds(dir, "t.dat")
}

// When the file cannot be written an older one stays, and the pages, of which
// recover makes it.
func TestRecordingKept(t *testing.T) {
	for _, tt := range []struct {
		name, why string
		spoil     func(rt *recordingTest)
		mend      func(rt *recordingTest)
	}{
		{"no file can be made", "t.dat.tmp: file exists",
			func(rt *recordingTest) { rt.must(os.Mkdir(rt.rec.tmpName(), 0o700)) },
			func(rt *recordingTest) { rt.must(os.Remove(rt.rec.tmpName())) }},
		{"pages are gone", "unexpected EOF",
			func(rt *recordingTest) {
				rt.must(rt.rec.flush())
				rt.must(os.Truncate(rt.rec.cpuName(3), craftedPage/2))
			},
			func(rt *recordingTest) {
				rt.must(os.WriteFile(rt.rec.cpuName(3), append(bytes.Clone(rt.pages), "half a page"...), 0o600))
			}},
		{"the name is taken", "t.dat",
			func(rt *recordingTest) {
				rt.must(os.Remove(rt.rec.name))
				rt.must(os.MkdirAll(rt.rec.name+"/x", 0o700))
			},
			func(rt *recordingTest) {
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
			rt := newRecordingTest(t, name)
			tt.spoil(rt)
			rt.kept(rt.rec.close(rt.rec.save(rt.header())), tt.why)
			tt.mend(rt)
			if b, err := os.ReadFile(name); string(b) != "older" {
				t.Errorf("%q, %v", b, err)
			}
			rt.holds(dir, "t.dat", "t.dat.cpu3", "t.dat.head")
			rt.must(rt.recover())
			rt.holds(dir, "t.dat")
			rt.shows()
		})
	}
}

func (rt *recordingTest) must(err error) {
	rt.Helper()
	if err != nil {
		rt.Fatal(err)
	}
}

// A recorder that was killed while it wrote the file has left a piece of it.
func TestRecoverKilledWriting(t *testing.T) {
	dir := t.TempDir()
	rt := newRecordingTest(t, filepath.Join(dir, "t.dat"))
	rt.must(rt.rec.flush())
	rt.must(os.WriteFile(rt.rec.tmpName(), []byte("a piece"), 0o600))
	var m *tracefs.MachineError
	if err := rt.recover(); !errors.As(err, &m) || !strings.Contains(m.Msg, "still recording") {
		t.Errorf("%v", err)
	}
	rt.must(rt.rec.head.Close()) // so does the kernel
	rt.must(rt.recover())
	rt.holds(dir, "t.dat")
	rt.shows()
}

func TestRecordingRefused(t *testing.T) {
	for _, tt := range []struct {
		name, file, link, want string
	}{
		{"a symbolic link", "", "t.dat", "t.dat is a symbolic link"},
		{"a link that leads nowhere", "", "t.dat", "t.dat is a symbolic link"},
		{"pages of trace-cmd", "t.dat.cpu0", "", "left its pages in .*t.dat.cpu0 (trace-cmd restore"},
		{"pages", "t.dat.head", "", "left its pages in .*t.dat.head (tsnoop record --recover"},
		{"a link for the head", "", "t.dat.head", "left its pages in .*t.dat.head"},
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
			rec, err := newRecording(filepath.Join(dir, "t.dat"), &ui{stderr: io.Discard})
			parts := strings.Split(tt.want, ".*")
			if err == nil || !strings.Contains(err.Error(), parts[0]) || !strings.Contains(err.Error(), parts[len(parts)-1]) {
				t.Fatalf("%v, %v", rec, err)
			}
			for _, name := range []string{filepath.Join(dir, tt.file), target} {
				if b, err := os.ReadFile(name); err == nil && string(b) != "precious" {
					t.Errorf("%s: %q", name, b)
				}
			}
		})
	}
}

// What comes in between is not followed either.
func TestRecordingLinkMeanwhile(t *testing.T) {
	dir := t.TempDir()
	rt := newRecordingTest(t, filepath.Join(dir, "t.dat"))
	target := filepath.Join(t.TempDir(), "target")
	rt.must(os.Symlink(target, rt.rec.cpuName(4)))
	err := rt.rec.add(read.Page{CPU: 4, Data: rt.pages[:craftedPage]})
	if !errors.Is(err, os.ErrExist) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(target); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the link was followed: %v", err)
	}
	rt.must(rt.rec.close(rt.rec.save(rt.header()))) // what was taken by then
	rt.shows()
}

func TestRecoverRefused(t *testing.T) {
	dir := t.TempDir()
	rt := newRecordingTest(t, filepath.Join(dir, "t.dat"))
	head, err := os.ReadFile(rt.rec.headName())
	rt.must(err)
	rt.kept(rt.rec.close(io.ErrShortWrite), io.ErrShortWrite.Error())
	for _, tt := range []struct {
		name string
		head []byte // nil for none
		want string
	}{
		{"none", nil, "there is no "},
		{"empty", []byte{}, "without it nobody understands the pages"},
		{"cut", head[:len(head)-20], "without it nobody understands the pages"},
		{"another's", bytes.ReplaceAll(head, []byte("TSN\x01"), []byte("TSN\x02")), "no head of tsnoop's"},
	} {
		if tt.head == nil {
			rt.must(os.Remove(rt.rec.headName()))
		} else {
			rt.must(os.WriteFile(rt.rec.headName(), tt.head, 0o600))
		}
		if err := rt.recover(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, err := os.Stat(rt.rec.cpuName(3)); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	rt.must(os.WriteFile(rt.rec.headName(), head, 0o600))
	rt.must(rt.recover())
	rt.shows()
}

//go:build vm

package tracefs_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	. "github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/text"
	"golang.org/x/sys/unix"
)

// These tests run on real kernels, as root of a machine of their own. Nothing
// else may trace there. They wait for events, never for time.

// place is probed by the tests: do_filp_open(int dfd, struct filename *, ...),
// where the file's name is what the filename begins with. By 7.3 it is called
// do_file_open.
var place = "do_filp_open"

const (
	dfdArg  = "dfd=$arg1:s32"
	nameArg = "name_x7q=+0(+0($arg2)):string"
)

func TestMain(m *testing.M) {
	if b, err := os.ReadFile("/proc/kallsyms"); err == nil && !bytes.Contains(b, []byte(" "+place+"\n")) {
		place = "do_file_open"
	}
	switch os.Getenv("TSNOOP_VM_CHILD") {
	case "session":
		sessionChild()
	case "open":
		openChild()
	case "nobody":
		nobodyChild()
	}
	os.Exit(m.Run())
}

func mounted(t *testing.T) *FS {
	t.Helper()
	fsys, err := Find()
	if err == nil {
		return fsys
	}
	if err := unix.Mount("nodev", DefaultMount, "tracefs", 0, ""); err != nil {
		t.Fatalf("mount tracefs: %v", err)
	}
	if fsys, err = Find(); err != nil {
		t.Fatalf("Find: %v", err)
	}
	return fsys
}

// readString returns the file's text without the white space around it.
func readString(fs *FS, name string) (string, error) {
	b, err := fs.Root().ReadFile(name)
	return strings.TrimSpace(string(b)), err
}

// state is what the tests must find as they left it.
func state(t *testing.T, fsys *FS) string {
	t.Helper()
	var b strings.Builder
	for _, f := range []string{"kprobe_events", "set_event", "tracing_on", "trace_clock", "buffer_percent", "trace_options", "set_event_pid"} {
		text, err := readString(fsys, f)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s: %s\n", f, text)
	}
	dirs, err := fs.ReadDir(fsys.Root().FS(), "instances")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		on, err := readString(fsys, "instances/"+d.Name()+"/set_event")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "instance %s: %s\n", d.Name(), on)
	}
	return b.String()
}

// leavesNothing checks at the end of the test that all is as it is now.
func leavesNothing(t *testing.T, fsys *FS) {
	t.Helper()
	before := state(t, fsys)
	t.Cleanup(func() {
		if diff := cmp.Diff(before, state(t, fsys)); diff != "" {
			t.Errorf("the tracing directory has changed (-before +after)\n%s", diff)
		}
	})
}

// session makes a session that traces this thread only, unless o says more.
func session(t *testing.T, fsys *FS, o Options) *Session {
	t.Helper()
	if o.Pids == nil && !o.IgnoreSelf {
		runtime.LockOSThread()
		t.Cleanup(runtime.UnlockOSThread)
		o.Pids = []int{unix.Gettid()}
	}
	o.Log = t.Logf
	s, err := fsys.NewSession(o)
	if err != nil {
		t.Fatalf("NewSession: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func define(t *testing.T, s *Session, kind, event, args string) *Format {
	t.Helper()
	if err := s.Define(KprobeEvents, fmt.Sprintf("%s:%s/%s %s %s", kind, s.Group(), event, place, args)); err != nil {
		t.Fatalf("Define: %v", err)
	}
	f, err := s.Format(event)
	if err != nil {
		t.Fatalf("Format: %v", err)
	}
	return f
}

// onlyTmp drops what the session itself opens, which is not under /tmp.
func onlyTmp(t *testing.T, s *Session, event string) {
	t.Helper()
	must(t, "SetFilter", s.SetFilter(event, `name_x7q ~ "/tmp/*"`))
}

func must(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// drain stops the session and returns all its events.
func drain(t *testing.T, s *Session, o text.Options) []testEvent {
	t.Helper()
	must(t, "Stop", s.Stop())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var all []testEvent
	for ev, err := range text.Read(ctx, s, o) {
		must(t, "Read", err)
		all = append(all, keep(ev))
	}
	return all
}

// A testEvent is an Event that can be kept and compared.
type testEvent struct {
	Name string
	Time uint64
	CPU  int
	TID  int
	Comm string
	Data []byte
	Lost uint64
}

func keep(ev *Event) testEvent {
	return testEvent{ev.Format.Name, ev.Time, ev.CPU, ev.TID, string(ev.Comm), bytes.Clone(ev.Data), ev.Lost}
}

// touch has the kernel look for a file, which need not exist.
func touch(name string) {
	if fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
		unix.Close(fd)
	}
}

// field returns a field's bytes, of a string its text.
func field(t *testing.T, f *Format, data []byte, name string) []byte {
	t.Helper()
	i := slices.IndexFunc(f.Fields, func(f FormatField) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no field %s in %+v", name, f)
	}
	b := data[f.Fields[i].Offset:][:f.Fields[i].Size]
	if f.Fields[i].DataLoc {
		word := binary.NativeEndian.Uint32(b)
		if word>>16 == 0 {
			return nil
		}
		b = data[word&0xffff:][:word>>16-1]
	}
	return b
}

func names(t *testing.T, f *Format, events []testEvent) []string {
	t.Helper()
	var all []string
	for _, ev := range events {
		all = append(all, string(field(t, f, ev.Data, "name_x7q")))
	}
	return all
}

// symbol looks up one address in /proc/kallsyms.
func symbol(t *testing.T) func(string) (uint64, bool) {
	b, err := os.ReadFile("/proc/kallsyms")
	must(t, "kallsyms", err)
	return func(name string) (uint64, bool) {
		for line := range bytes.Lines(b) {
			var addr uint64
			var kind, sym string
			if !bytes.Contains(line, []byte(" "+name)) {
				continue
			}
			if fmt.Sscanf(string(line), "%x %s %s", &addr, &kind, &sym); sym == name {
				return addr, true
			}
		}
		return 0, false
	}
}

//go:build vm

package tracefs_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	. "github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/text"
	"golang.org/x/sys/unix"
)

// TestVMForgedNames opens files whose names try to look like something else.
func TestVMForgedNames(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{})
	f := define(t, s, "p", "e_x7q", dfdArg+" first_x7q=+0(+0($arg2)):string "+nameArg)
	onlyTmp(t, s, "e_x7q")
	comm := "a\nb: (c)\n-7 [0"
	old := setComm(t, comm)
	defer setComm(t, old)
	header := fmt.Sprintf("%16s-%-7d [000] .....     1.000000: e_x7q", "cat", 1)
	want := []string{
		"/tmp/plain", "/tmp/a\nb\"c\x01\xff", "/tmp/\n", "/tmp/\"\n", "/tmp/\" name_x7p=\"x\"", "/tmp/(fault)",
		"/tmp/\n" + header + "x: (vfs_open+0x0/0x10) dfd=1\n", "/tmp/\"\nCPU:0 [LOST 5 EVENTS]\n",
		"/tmp/\"\n" + header[:len(header)-5] + "<stack trace>\n => vfs_open\n", "/tmp/\"\n[LINE TOO BIG]\n",
		"/tmp/" + strings.Repeat("\"\n", 600),
	}
	must(t, "Enable", s.Enable(t.Context()))
	rememberComm(t, fsys, comm)
	for _, name := range want {
		touch(name)
	}
	got := drain(t, s, text.Options{Formats: []*Format{f}})
	got = slices.DeleteFunc(got, func(ev testEvent) bool { return string(field(t, f, ev.Data, "name_x7q")) == "/tmp/remember" })
	if diff := cmp.Diff(want, names(t, f, got)); diff != "" {
		t.Errorf("names (-want +got)\n%s", diff)
	}
	for _, ev := range got {
		if first := field(t, f, ev.Data, "first_x7q"); !bytes.Equal(first, field(t, f, ev.Data, "name_x7q")) {
			t.Errorf("got first string %q", first)
		}
		if ev.Comm != comm {
			t.Errorf("got comm %q, want %q", ev.Comm, comm)
		}
	}
}

// rememberComm makes the kernel note this thread's name. It does so when it
// switches to another thread after an event, if nothing is in its way.
func rememberComm(t *testing.T, fsys *FS, comm string) {
	t.Helper()
	for range 1000 {
		touch("/tmp/remember")
		unix.Nanosleep(&unix.Timespec{Nsec: 1000}, nil)
		if text, _ := readString(fsys, "saved_cmdlines"); strings.Contains(text, fmt.Sprintf("%d %s", unix.Gettid(), comm)) {
			return
		}
	}
	t.Fatalf("the kernel does not remember the name %q", comm)
}

func setComm(t *testing.T, name string) (old string) {
	t.Helper()
	file := fmt.Sprintf("/proc/self/task/%d/comm", unix.Gettid())
	b, err := os.ReadFile(file)
	must(t, "comm", err)
	must(t, "comm", os.WriteFile(file, []byte(name), 0))
	return strings.TrimSuffix(string(b), "\n")
}

// TestVMLive reads events while tracing goes on: each must come at once.
func TestVMLive(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{})
	f := define(t, s, "p", "e_x7q", nameArg)
	onlyTmp(t, s, "e_x7q")
	must(t, "Enable", s.Enable(t.Context()))
	got := make(chan string)
	done := make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ev, err := range text.Read(ctx, s, text.Options{Formats: []*Format{f}}) {
			if err != nil {
				done <- err
				return
			}
			got <- string(field(t, f, ev.Data, "name_x7q"))
		}
		done <- nil
	}()
	for i := range 50 {
		want := fmt.Sprintf("/tmp/%d\n", i)
		touch(want)
		if name := <-got; name != want {
			t.Fatalf("got %q, want %q", name, want)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Read: %v", err)
	}
}

// TestVMEnableAgain enables a session again that was stopped.
func TestVMEnableAgain(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{})
	f := define(t, s, "p", "e_x7q", nameArg)
	onlyTmp(t, s, "e_x7q")
	for _, name := range []string{"/tmp/1", "/tmp/2"} {
		must(t, "Enable", s.Enable(t.Context()))
		touch(name)
		got := drain(t, s, text.Options{Formats: []*Format{f}})
		touch("/tmp/unseen")
		if diff := cmp.Diff([]string{name}, names(t, f, got)); diff != "" {
			t.Errorf("names (-want +got)\n%s", diff)
		}
	}
}

// TestVMLost overflows the buffer of one CPU and accounts for every event.
func TestVMLost(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{BufferKB: 16})
	f := define(t, s, "p", "e_x7q", nameArg)
	onlyTmp(t, s, "e_x7q")
	var cpus, old unix.CPUSet
	must(t, "affinity", unix.SchedGetaffinity(0, &old))
	cpus.Set(0)
	must(t, "affinity", unix.SchedSetaffinity(0, &cpus))
	defer unix.SchedSetaffinity(0, &old)
	must(t, "Enable", s.Enable(t.Context()))
	const n = 5000
	for i := range n {
		touch(fmt.Sprintf("/tmp/%d", i))
	}
	got := drain(t, s, text.Options{Formats: []*Format{f}})
	var lost uint64
	for _, ev := range got {
		if ev.Lost == LostUnknown {
			t.Fatal("the kernel did not count what was lost")
		}
		lost += ev.Lost
	}
	if len(got) == 0 || lost == 0 || lost+uint64(len(got)) != n {
		t.Errorf("got %d events and %d lost, want %d together", len(got), lost, n)
	}
	if last := names(t, f, got[len(got)-1:])[0]; last != fmt.Sprintf("/tmp/%d", n-1) {
		t.Errorf("got %s last", last)
	}
	stats, err := s.Stats()
	must(t, "Stats", err)
	if st := stats[0]; st.Overrun != lost || st.Read != uint64(len(got)) {
		t.Errorf("got stats %+v, want overrun %d and %d read", st, lost, len(got))
	}
}

// TestVMStack has a stack after every event, which the text reader skips.
func TestVMStack(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{Stacktrace: true})
	f := define(t, s, "p", "e_x7q", nameArg)
	onlyTmp(t, s, "e_x7q")
	must(t, "Enable", s.Enable(t.Context()))
	want := []string{"/tmp/a", "/tmp/\"\n => x\n", "/tmp/c"}
	for _, name := range want {
		touch(name)
	}
	if diff := cmp.Diff(want, names(t, f, drain(t, s, text.Options{Formats: []*Format{f}}))); diff != "" {
		t.Errorf("names (-want +got)\n%s", diff)
	}
}

// TestVMTooBig has events whose text is longer than the kernel can print. They
// are counted as lost, and the next is read.
func TestVMTooBig(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{})
	var args strings.Builder
	for i := range 40 {
		fmt.Fprintf(&args, "a%d=+0(+0($arg2)):x8[64] ", i) // 2560 bytes, 12000 characters
	}
	big := define(t, s, "p", "big_x7q", args.String()+nameArg)
	small := define(t, s, "p", "small_x7q", nameArg)
	must(t, "SetFilter", s.SetFilter("big_x7q", `name_x7q == "/tmp/big"`))
	onlyTmp(t, s, "small_x7q")
	must(t, "Enable", s.Enable(t.Context()))
	for _, name := range []string{"/tmp/1", "/tmp/big", "/tmp/2"} {
		touch(name)
	}
	got := drain(t, s, text.Options{Formats: []*Format{big, small}})
	if diff := cmp.Diff([]string{"/tmp/1", "/tmp/big", "/tmp/2"}, names(t, small, got)); diff != "" {
		t.Errorf("names (-want +got)\n%s", diff)
	}
	var lost uint64
	for _, ev := range got {
		lost += ev.Lost
	}
	if lost != 1 {
		t.Errorf("got %d events lost, want 1", lost)
	}
}

// TestVMFault fetches from where nothing is.
func TestVMFault(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{})
	f := define(t, s, "p", "e_x7q", "bad_x7q=+0($arg1):string "+nameArg+" none_x7q=+0($arg1):string")
	onlyTmp(t, s, "e_x7q")
	must(t, "Enable", s.Enable(t.Context()))
	touch("/tmp/1")
	got := drain(t, s, text.Options{Formats: []*Format{f}})
	if diff := cmp.Diff([]string{"/tmp/1"}, names(t, f, got)); diff != "" {
		t.Fatalf("names (-want +got)\n%s", diff)
	}
	for _, name := range []string{"bad_x7q", "none_x7q"} {
		if b := field(t, f, got[0].Data, name); b != nil {
			t.Errorf("got %s %q, want a fault", name, b)
		}
	}
}

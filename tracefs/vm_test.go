//go:build vm

package tracefs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	}
	os.Exit(m.Run())
}

func mounted(t *testing.T) *FS {
	t.Helper()
	fsys, err := Find()
	if err == nil {
		return fsys
	}
	if err := unix.Mount("nodev", defaultMount, "tracefs", 0, ""); err != nil {
		t.Fatalf("mount tracefs: %v", err)
	}
	if fsys, err = Find(); err != nil {
		t.Fatalf("Find: %v", err)
	}
	return fsys
}

// state is what the tests must find as they left it.
func state(t *testing.T, fsys *FS) string {
	t.Helper()
	var b strings.Builder
	for _, f := range []string{"kprobe_events", "set_event", "tracing_on", "trace_clock", "buffer_percent", "trace_options", "set_event_pid"} {
		text, err := fsys.readString(f)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s: %s\n", f, text)
	}
	dirs, err := fs.ReadDir(fsys.root.FS(), "instances")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		on, err := fsys.readString("instances/" + d.Name() + "/set_event")
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
	if err := s.Define(fmt.Sprintf("%s:%s/%s %s %s", kind, s.Group(), event, place, args)); err != nil {
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
func drain(t *testing.T, s *Session, o TextOptions) []testEvent {
	t.Helper()
	must(t, "Stop", s.Stop())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var all []testEvent
	for ev, err := range s.ReadText(ctx, o) {
		must(t, "ReadText", err)
		all = append(all, keep(ev))
	}
	return all
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

// TestVMLifecycle follows an entry and a return through a whole session.
func TestVMLifecycle(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{BufferKB: 64})
	if want := fmt.Sprintf("tsnoop_%d", os.Getpid()); s.Group() != want {
		t.Errorf("got group %s, want %s", s.Group(), want)
	}
	entry := define(t, s, "p", "e_x7q", dfdArg+" bytes=+0(+0($arg2)):x8[4] ch=+0(+0($arg2)):u8 "+nameArg)
	ret := define(t, s, "r", "r_x7q", "ret=$retval:x64")
	onlyTmp(t, s, "e_x7q")
	must(t, "SetFilter", s.SetFilter("r_x7q", fmt.Sprintf("ret == %#x", ^uint64(unix.ENOENT-1))))
	must(t, "Enable", s.Enable())
	touch("/tmp/one")
	touch("/nowhere")

	addr := symbol(t)
	got := drain(t, s, TextOptions{Formats: []*Format{entry, ret}, Addr: addr})
	var kinds []string
	for _, ev := range got {
		kinds = append(kinds, ev.Name)
	}
	if diff := cmp.Diff([]string{"e_x7q", "r_x7q", "r_x7q"}, kinds); diff != "" {
		t.Fatalf("events (-want +got)\n%s", diff)
	}
	want, _ := addr(place)
	ne := binary.NativeEndian
	if f := field(t, entry, got[0].Data, "dfd"); int32(ne.Uint32(f)) != unix.AT_FDCWD {
		t.Errorf("got dfd %x, want %d", f, unix.AT_FDCWD)
	}
	if f := field(t, entry, got[0].Data, "bytes"); string(f) != "/tmp" {
		t.Errorf("got bytes %q, want /tmp", f)
	}
	if f := field(t, entry, got[0].Data, "name_x7q"); string(f) != "/tmp/one" {
		t.Errorf("got name %q, want /tmp/one", f)
	}
	// With IBT the probe is behind the ENDBR.
	if ip := ne.Uint64(field(t, entry, got[0].Data, "__probe_ip")); ip-want > 8 {
		t.Errorf("got __probe_ip %#x, want %#x", ip, want)
	}
	if fn := ne.Uint64(field(t, ret, got[1].Data, "__probe_func")); fn-want > 8 {
		t.Errorf("got __probe_func %#x, want %#x", fn, want)
	}
	if ip := ne.Uint64(field(t, ret, got[1].Data, "__probe_ret_ip")); ip == 0 {
		t.Error("got no __probe_ret_ip")
	}
	if v := int64(ne.Uint64(field(t, ret, got[1].Data, "ret"))); v != -int64(unix.ENOENT) {
		t.Errorf("got ret %d, want -ENOENT", v)
	}
	if ev := got[0]; ev.TID != unix.Gettid() || ev.Time == 0 || ev.Lost != 0 || got[1].Time < ev.Time {
		t.Errorf("got event %+v, want tid %d", ev, unix.Gettid())
	}

	profile, err := s.Profile()
	must(t, "Profile", err)
	if diff := cmp.Diff(map[string]Hits{"e_x7q": {Hits: 2}, "r_x7q": {Hits: 2}}, profile); diff != "" {
		// Other threads are kept out by set_event_pid, behind the count.
		if profile["e_x7q"].Hits < 2 || profile["r_x7q"].Hits < 2 || len(profile) != 2 {
			t.Errorf("profile (-want +got)\n%s", diff)
		}
	}
	stats, err := s.Stats()
	must(t, "Stats", err)
	var read uint64
	for _, st := range stats {
		read += st.Read
	}
	if len(stats) != runtime.NumCPU() || read != 3 {
		t.Errorf("got stats %+v, want 3 events read", stats)
	}
	must(t, "Close", s.Close())
	must(t, "Close again", s.Close())
	if err := s.Enable(); !errors.Is(err, ErrClosed) {
		t.Errorf("Enable after Close: got %v, want ErrClosed", err)
	}
}

// TestVMNasty opens files whose names try to look like something else.
func TestVMNasty(t *testing.T) {
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
	must(t, "Enable", s.Enable())
	rememberComm(t, fsys, comm)
	for _, name := range want {
		touch(name)
	}
	got := drain(t, s, TextOptions{Formats: []*Format{f}})
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
		if text, _ := fsys.readString("saved_cmdlines"); strings.Contains(text, fmt.Sprintf("%d %s", unix.Gettid(), comm)) {
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
	must(t, "Enable", s.Enable())
	got := make(chan string)
	done := make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ev, err := range s.ReadText(ctx, TextOptions{Formats: []*Format{f}}) {
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
		t.Errorf("ReadText: %v", err)
	}
}

// TestVMCloseWhileReading closes a session whose reader waits for events.
func TestVMCloseWhileReading(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{})
	f := define(t, s, "p", "e_x7q", nameArg)
	onlyTmp(t, s, "e_x7q")
	must(t, "Enable", s.Enable())
	started, done := make(chan bool), make(chan error)
	go func() {
		var first bool
		for _, err := range s.ReadText(t.Context(), TextOptions{Formats: []*Format{f}}) {
			if err != nil {
				done <- err
				return
			}
			if !first {
				first = true
				close(started)
			}
		}
		done <- nil
	}()
	touch("/tmp/x")
	<-started
	must(t, "Close", s.Close())
	if err := <-done; err != nil {
		t.Errorf("ReadText: %v", err)
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
	must(t, "Enable", s.Enable())
	const n = 5000
	for i := range n {
		touch(fmt.Sprintf("/tmp/%d", i))
	}
	got := drain(t, s, TextOptions{Formats: []*Format{f}})
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

// TestVMStack has a stack behind every event, which the text reader skips.
func TestVMStack(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{Stacktrace: true})
	f := define(t, s, "p", "e_x7q", nameArg)
	onlyTmp(t, s, "e_x7q")
	must(t, "Enable", s.Enable())
	want := []string{"/tmp/a", "/tmp/\"\n => x\n", "/tmp/c"}
	for _, name := range want {
		touch(name)
	}
	if diff := cmp.Diff(want, names(t, f, drain(t, s, TextOptions{Formats: []*Format{f}}))); diff != "" {
		t.Errorf("names (-want +got)\n%s", diff)
	}
}

// TestVMDefineRefused checks that the kernel's words arrive and nothing stays.
func TestVMDefineRefused(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{})
	for _, tt := range []struct{ args, column string }{
		{place + "  a=$arg1:u65", "u65"},
		{place + " a=%nosuch", "%nosuch"},
		{"no_such_function_x", "no_such_function_x"},
		{place + " a=$arg1 a=$arg2", "a=$arg2"},
		{place + " a=+0($arg1:string", ":string"},
	} {
		def := fmt.Sprintf("p:%s/e_x7q %s", s.Group(), tt.args)
		err := s.Define(def)
		var ke *KernelError
		if !errors.As(err, &ke) {
			t.Errorf("%s: got error %v, want a *KernelError", def, err)
			continue
		}
		t.Logf("%s: %v, %v", tt.args, ke, ke.Errno)
		if want := strings.LastIndex(ke.Command, tt.column); ke.Column != want {
			t.Errorf("%s: got column %d, want %d, that of %q", def, ke.Column, want, tt.column)
		}
	}
	for _, def := range []string{"p:other/x " + place, "-:other/x", "p " + place, "p:" + s.Group() + "/ " + place} {
		if err := s.Define(def); err == nil {
			t.Errorf("Define(%q) is accepted", def)
		}
	}
	long := fmt.Sprintf("p:%s/e_x7q %s %s", s.Group(), place, strings.Repeat("x", 4096))
	if err := s.Define(long); err == nil {
		t.Error("a line that is too long is accepted")
	}
	if text, _ := fsys.readString("kprobe_events"); strings.Contains(text, s.Group()) {
		t.Errorf("left behind: %s", text)
	}
	must(t, "Enable without events", s.Enable())
}

// TestVMFilterRefused checks that an event with a bad filter stays off, though
// the kernel would let it run unfiltered.
func TestVMFilterRefused(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{})
	bad := define(t, s, "p", "bad_x7q", dfdArg+" "+nameArg)
	good := define(t, s, "p", "good_x7q", nameArg)
	onlyTmp(t, s, "good_x7q")
	must(t, "SetFilter", s.SetFilter("bad_x7q", "dfd == 1"))
	for _, filter := range []string{"dfd === 1", "nosuch == 1", `name_x7q == "a`, "(dfd == 1", strings.Repeat("dfd == 1 || ", 400) + "dfd == 1"} {
		var ke *KernelError
		err := s.SetFilter("bad_x7q", filter)
		if !errors.As(err, &ke) || ke.Command != filter || ke.Errno == nil {
			t.Errorf("%.60s: got error %v", filter, err)
			continue
		}
		t.Logf("%.60s: %v, column %d, %v", filter, ke.Text, ke.Column, ke.Errno)
		if len(filter) < 100 && ke.Column < 0 {
			t.Errorf("%s: got no column from %v", filter, ke)
		}
	}
	if text, _ := fsys.readString(s.eventPath("bad_x7q", "filter")); text != "none" {
		t.Errorf("filter is %q", text)
	}
	must(t, "Enable", s.Enable())
	touch("/tmp/x")
	got := drain(t, s, TextOptions{Formats: []*Format{bad, good}})
	if len(got) != 1 || got[0].Name != "good_x7q" {
		t.Errorf("got events %+v, want one of good_x7q", got)
	}
	must(t, "SetFilter", s.SetFilter("bad_x7q", `name_x7q == "/tmp/y"`))
}

// TestVMTwo runs two sessions side by side.
func TestVMTwo(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	a := session(t, fsys, Options{})
	b := session(t, fsys, Options{})
	if a.Group()+"_2" != b.Group() {
		t.Errorf("got groups %s and %s", a.Group(), b.Group())
	}
	fa, fb := define(t, a, "p", "a_x7q", nameArg), define(t, b, "p", "b_x7q", nameArg)
	onlyTmp(t, a, "a_x7q")
	onlyTmp(t, b, "b_x7q")
	must(t, "Enable", a.Enable())
	touch("/tmp/1")
	must(t, "Enable", b.Enable())
	touch("/tmp/2")
	gotA := names(t, fa, drain(t, a, TextOptions{Formats: []*Format{fa, fb}}))
	must(t, "Close", a.Close())
	touch("/tmp/3")
	gotB := names(t, fb, drain(t, b, TextOptions{Formats: []*Format{fa, fb}}))
	if diff := cmp.Diff([][]string{{"/tmp/1", "/tmp/2"}, {"/tmp/2", "/tmp/3"}}, [][]string{gotA, gotB}); diff != "" {
		t.Errorf("names (-want +got)\n%s", diff)
	}
}

// child starts this program again to do something else, and returns when it is
// ready; what comes on its standard input ends it.
func child(t *testing.T, what string) (cmd *exec.Cmd, in io.WriteCloser, line string) {
	t.Helper()
	exe, err := os.Executable()
	must(t, "Executable", err)
	cmd = exec.Command(exe)
	cmd.Env = append(os.Environ(), "TSNOOP_VM_CHILD="+what)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, "pipe", err)
	in, err = cmd.StdinPipe()
	must(t, "pipe", err)
	must(t, "Start", cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	line, err = bufio.NewReader(out).ReadString('\n')
	must(t, "child", err)
	return cmd, in, strings.TrimSpace(line)
}

// sessionChild traces until it is killed.
func sessionChild() {
	fsys, err := Find()
	if err == nil {
		var s *Session
		if s, err = fsys.NewSession(Options{IgnoreSelf: true}); err == nil {
			for i := range 3 {
				err = errors.Join(err, s.Define(fmt.Sprintf("p:%s/e%d_x7q %s %s", s.Group(), i, place, nameArg)))
			}
			err = errors.Join(err, s.Enable())
			fmt.Println(s.Group(), err)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0) // without Close
}

// openChild opens a file, and has a child of its own open another.
func openChild() {
	fmt.Println(os.Getpid())
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err == nil {
		touch("/tmp/child")
		exec.Command("/bin/cat", "/tmp/grandchild").Run()
	}
	os.Exit(0)
}

// TestVMKilled kills a tracing process and cleans up after it.
func TestVMKilled(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	cmd, _, line := child(t, "session")
	group := strings.Fields(line)[0]
	removed, err := fsys.Clean(t.Logf)
	if err != nil || len(removed) != 0 {
		t.Errorf("Clean while the child lives: got %v, %v", removed, err)
	}
	if !fsys.Exists("instances/" + group) {
		t.Fatalf("no instance %s", group)
	}
	must(t, "Kill", cmd.Process.Kill())
	cmd.Wait()
	if text, _ := fsys.readString("kprobe_events"); strings.Count(text, group) != 3 {
		t.Errorf("the dead child's probes are gone before Clean: %s", text)
	}
	removed, err = fsys.Clean(t.Logf)
	if err != nil || !slices.Equal(removed, []string{group}) {
		t.Errorf("Clean: got %v, %v, want %s", removed, err, group)
	}
	if removed, err = fsys.Clean(t.Logf); err != nil || len(removed) != 0 {
		t.Errorf("Clean again: got %v, %v", removed, err)
	}
}

// TestVMSweep checks that a new session cleans up by itself.
func TestVMSweep(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	cmd, _, line := child(t, "session")
	must(t, "Kill", cmd.Process.Kill())
	cmd.Wait()
	session(t, fsys, Options{})
	if group := strings.Fields(line)[0]; fsys.Exists("instances/"+group) || fsys.Exists("events/"+group) {
		t.Errorf("%s is still there", group)
	}
}

// TestVMOthers checks that nothing of anybody else is touched, nor what only
// looks like ours.
func TestVMOthers(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	def := func(line string) { must(t, line, fsys.changeProbes(line)) }
	set := func(file, v string) { must(t, file, fsys.write(file, v)) }
	def("p:other/o_x7q " + place)
	def("p:tsnoop_own/o_x7q " + place)
	def("p:tsnoop_4000000/orphan_x7q " + place)
	def("p:tsnoop_4000001/used_x7q " + place)
	must(t, "mkdir", fsys.root.Mkdir("instances/other", 0o750))
	must(t, "mkdir", fsys.root.Mkdir("instances/tsnoop_own", 0o750))
	must(t, "mkdir", fsys.root.Mkdir("instances/tsnoop_4000002_3", 0o750))
	set("events/other/o_x7q/enable", "1")
	set("instances/other/events/other/o_x7q/enable", "1")
	set("instances/other/events/tsnoop_4000001/used_x7q/enable", "1")
	before := state(t, fsys)

	removed, err := fsys.Clean(t.Logf)
	slices.Sort(removed)
	if !slices.Equal(removed, []string{"tsnoop_4000000", "tsnoop_4000002_3"}) {
		t.Errorf("Clean: got %v", removed)
	}
	if !errors.Is(err, unix.EBUSY) {
		t.Errorf("Clean: got error %v, want EBUSY for a probe that is in use", err)
	}
	s := session(t, fsys, Options{})
	define(t, s, "p", "e_x7q", nameArg)
	must(t, "Enable", s.Enable())
	must(t, "Close", s.Close())

	var want []string
	for line := range strings.Lines(before) {
		if !strings.Contains(line, "orphan_x7q") && !strings.Contains(line, "instance tsnoop_4000002_3") {
			want = append(want, line)
		}
	}
	after := slices.Collect(strings.Lines(state(t, fsys)))
	if diff := cmp.Diff(want, after); diff != "" {
		t.Errorf("state (-want +got)\n%s", diff)
	}
	set("events/other/o_x7q/enable", "0")
	set("instances/other/events/other/enable", "0")
	set("instances/other/events/tsnoop_4000001/enable", "0")
	must(t, "rmdir", fsys.root.Remove("instances/other"))
	must(t, "rmdir", fsys.root.Remove("instances/tsnoop_own"))
	for _, name := range []string{"other/o_x7q", "tsnoop_own/o_x7q", "tsnoop_4000001/used_x7q"} {
		def("-:" + name)
	}
}

// TestVMThreads checks whose calls are seen: not one's own, or a process's and
// its children's.
func TestVMThreads(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	for _, tt := range []struct {
		name   string
		follow bool
		self   bool
		want   []string
	}{
		{name: "all but self", self: true, want: []string{"/tmp/child", "/tmp/grandchild"}},
		{name: "pid", want: []string{"/tmp/child"}},
		{name: "pid and children", follow: true, want: []string{"/tmp/child", "/tmp/grandchild"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd, in, _ := child(t, "open")
			o := Options{IgnoreSelf: tt.self, Follow: tt.follow}
			if !tt.self {
				tids, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", cmd.Process.Pid))
				must(t, "threads", err)
				for _, path := range tids {
					var tid int
					fmt.Sscan(filepath.Base(path), &tid)
					o.Pids = append(o.Pids, tid)
				}
			}
			s := session(t, fsys, o)
			f := define(t, s, "p", "e_x7q", nameArg)
			onlyTmp(t, s, "e_x7q")
			must(t, "Enable", s.Enable())
			touch("/tmp/self")
			fmt.Fprintln(in, "go")
			must(t, "Wait", cmd.Wait())
			touch("/tmp/self")
			if diff := cmp.Diff(tt.want, names(t, f, drain(t, s, TextOptions{Formats: []*Format{f}}))); diff != "" {
				t.Errorf("names (-want +got)\n%s", diff)
			}
		})
	}
}

// TestVMFeatures checks that what README tells is so.
func TestVMFeatures(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	f, err := fsys.Features()
	must(t, "Features", err)
	t.Logf("%+v", *f)
	s := session(t, fsys, Options{})
	for i, tt := range []struct {
		has  bool
		kind string
		args string
	}{
		{true, "p", "a=\\1"},
		{f.ArgN, "p", "a=$arg1"},
		{f.ReturnArgs, "r", "a=$arg1"},
		{f.User, "p", "a=+u0($arg1)"},
		{f.Ustring, "p", "a=+0($arg1):ustring"},
		{f.Symbol, "p", "a=$arg1:symbol"},
		{f.Symstr, "p", "a=$arg1:symstr"},
		{f.Char, "p", "a=$arg1:char"},
		{f.Dentry, "p", "a=$arg1:%pd"},
		{f.Array, "p", "a=+0($arg1):u8[4]"},
		{f.Hex, "p", "a=$arg1:x8"},
		{f.BTFArgs, "p", "a=dfd"},
		{f.Current, "p", "a=+0($current)"},
		{f.ThisCPU, "p", "a=this_cpu_read($arg1)"},
	} {
		err := s.Define(fmt.Sprintf("%s:%s/f%d_x7q %s %s", tt.kind, s.Group(), i, place, tt.args))
		if (err == nil) != tt.has {
			t.Errorf("%s: got error %v, want accepted %v", tt.args, err, tt.has)
		}
	}
}

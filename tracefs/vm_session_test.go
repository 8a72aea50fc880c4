//go:build vm

package tracefs_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	. "github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/text"
	"golang.org/x/sys/unix"
)

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
	must(t, "Enable", s.Enable(t.Context()))
	touch("/tmp/one")
	touch("/nowhere")

	addr := symbol(t)
	got := drain(t, s, text.Options{Formats: []*Format{entry, ret}, Addr: addr})
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
	// With IBT the probe is after the ENDBR.
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
		// Other threads are kept out by set_event_pid, after the count.
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
	if err := s.Enable(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("Enable after Close: got %v, want ErrClosed", err)
	}
}

// TestVMCloseWhileReading closes a session whose reader waits for events.
func TestVMCloseWhileReading(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{})
	f := define(t, s, "p", "e_x7q", nameArg)
	onlyTmp(t, s, "e_x7q")
	must(t, "Enable", s.Enable(t.Context()))
	started, done := make(chan bool), make(chan error)
	go func() {
		var first bool
		for _, err := range text.Read(t.Context(), s, text.Options{Formats: []*Format{f}}) {
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
		t.Errorf("Read: %v", err)
	}
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
	must(t, "Enable", a.Enable(t.Context()))
	touch("/tmp/1")
	must(t, "Enable", b.Enable(t.Context()))
	touch("/tmp/2")
	gotA := names(t, fa, drain(t, a, text.Options{Formats: []*Format{fa, fb}}))
	must(t, "Close", a.Close())
	touch("/tmp/3")
	gotB := names(t, fb, drain(t, b, text.Options{Formats: []*Format{fa, fb}}))
	if diff := cmp.Diff([][]string{{"/tmp/1", "/tmp/2"}, {"/tmp/2", "/tmp/3"}}, [][]string{gotA, gotB}); diff != "" {
		t.Errorf("names (-want +got)\n%s", diff)
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
			cmd, in, _ := child(t, "open", 0)
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
			must(t, "Enable", s.Enable(t.Context()))
			touch("/tmp/self")
			fmt.Fprintln(in, "go")
			must(t, "Wait", cmd.Wait())
			touch("/tmp/self")
			if diff := cmp.Diff(tt.want, names(t, f, drain(t, s, text.Options{Formats: []*Format{f}}))); diff != "" {
				t.Errorf("names (-want +got)\n%s", diff)
			}
		})
	}
}

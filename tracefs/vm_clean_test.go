//go:build vm

package tracefs_test

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	. "github.com/tsnoop/tsnoop/tracefs"
	"golang.org/x/sys/unix"
)

// TestVMNamespaces runs sessions in two pid namespaces, where both are process 1.
func TestVMNamespaces(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	a, _, lineA := child(t, "session", unix.CLONE_NEWPID)
	b, _, lineB := child(t, "session", unix.CLONE_NEWPID)
	if lineA != "tsnoop_1 <nil>" || lineB != "tsnoop_1_2 <nil>" {
		t.Errorf("got groups %q and %q", lineA, lineB)
	}
	must(t, "Kill", a.Process.Kill())
	a.Wait()
	if removed, err := fsys.Clean(t.Logf); err != nil || !slices.Equal(removed, []Removed{{"tsnoop_1", true, 3}}) {
		t.Errorf("Clean: got %v, %v", removed, err)
	}
	must(t, "Kill", b.Process.Kill())
	b.Wait()
	if removed, err := fsys.Clean(t.Logf); err != nil || !slices.Equal(removed, []Removed{{"tsnoop_1_2", true, 3}}) {
		t.Errorf("Clean: got %v, %v", removed, err)
	}
}

// TestVMKilled kills a tracing process and cleans up after it.
func TestVMKilled(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	cmd, _, line := child(t, "session", 0)
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
	if text, _ := readString(fsys, "kprobe_events"); strings.Count(text, group) != 3 {
		t.Errorf("the dead child's probes are gone before Clean: %s", text)
	}
	removed, err = fsys.Clean(t.Logf)
	if err != nil || !slices.Equal(removed, []Removed{{group, true, 3}}) {
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
	cmd, _, line := child(t, "session", 0)
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
	def := func(line string) { must(t, line, fsys.Change(line)) }
	set := func(file, v string) { must(t, file, fsys.Write(file, v)) }
	def("p:other/o_x7q " + place)
	def("p:tsnoop_own/o_x7q " + place)
	def("p:tsnoop_4000000/orphan_x7q " + place)
	def("p:tsnoop_4000001/used_x7q " + place)
	must(t, "mkdir", fsys.Root().Mkdir("instances/other", 0o750))
	must(t, "mkdir", fsys.Root().Mkdir("instances/tsnoop_own", 0o750))
	must(t, "mkdir", fsys.Root().Mkdir("instances/tsnoop_4000002_3", 0o750))
	set("events/other/o_x7q/enable", "1")
	set("instances/other/events/other/o_x7q/enable", "1")
	set("instances/other/events/tsnoop_4000001/used_x7q/enable", "1")
	before := state(t, fsys)

	removed, err := fsys.Clean(t.Logf)
	slices.SortFunc(removed, func(a, b Removed) int { return strings.Compare(a.Name, b.Name) })
	if !slices.Equal(removed, []Removed{{"tsnoop_4000000", false, 1}, {"tsnoop_4000002_3", true, 0}}) {
		t.Errorf("Clean: got %v", removed)
	}
	if !errors.Is(err, unix.EBUSY) {
		t.Errorf("Clean: got error %v, want EBUSY for a probe that is in use", err)
	}
	s := session(t, fsys, Options{})
	define(t, s, "p", "e_x7q", nameArg)
	must(t, "Enable", s.Enable(t.Context()))
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
	must(t, "rmdir", fsys.Root().Remove("instances/other"))
	must(t, "rmdir", fsys.Root().Remove("instances/tsnoop_own"))
	for _, name := range []string{"other/o_x7q", "tsnoop_own/o_x7q", "tsnoop_4000001/used_x7q"} {
		def("-:" + name)
	}
}

// TestVMBusy cleans up a probe that another program uses: the error says where, and the
// hint ends that.
func TestVMBusy(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	const probe = "tsnoop_4000003/busy_x7q"
	must(t, "mkdir", fsys.Root().Mkdir("instances/other", 0o750))
	for _, use := range []struct{ file, value, told string }{
		{"events/" + probe + "/enable", "1", "switched on its probes: "},
		{"instances/other/events/tsnoop_4000003/enable", "1", "switched on its probes: "},
		{"events/" + probe + "/trigger", "traceon:5", "given its probes triggers: "},
		{"instances/other/events/" + probe + "/trigger", "hist:keys=common_pid", "given its probes triggers: "},
	} {
		must(t, "define", fsys.Change("p:"+probe+" "+place))
		if strings.HasPrefix(use.value, "hist:") && !fsys.Exists("events/"+probe+"/hist") {
			def := "-:" + probe // a kernel without CONFIG_HIST_TRIGGERS
			must(t, def, fsys.Change(def))
			continue
		}
		must(t, use.file, fsys.Write(use.file, use.value))
		removed, err := fsys.Clean(t.Logf)
		var busy *HostError
		if len(removed) > 0 || !errors.As(err, &busy) || !errors.Is(err, unix.EBUSY) {
			t.Fatalf("%s: got %v, %v", use.file, removed, err)
		}
		if !strings.Contains(busy.Msg, "tsnoop_4000003 cannot be removed: another program has "+use.told+fsys.Path()+"/") {
			t.Errorf("%s: got %q", use.file, busy.Msg)
		}
		hint, further := strings.CutSuffix(strings.TrimPrefix(busy.Hint, "run "), " && tsnoop clean")
		if out, err := exec.Command("sh", "-c", hint).CombinedOutput(); err != nil || !further {
			t.Errorf("%s: %v: %s", busy.Hint, err, out)
		}
		if removed, err = fsys.Clean(t.Logf); err != nil || !slices.Equal(removed, []Removed{{"tsnoop_4000003", false, 1}}) {
			t.Errorf("%s: Clean after the hint was followed: got %v, %v", use.file, removed, err)
		}
	}
	must(t, "rmdir", fsys.Root().Remove("instances/other"))
}

// TestVMSucceeded has two clean up after the same dead session. When the first is done
// a new session takes its name, as process 1 of a container may: the second leaves its
// probes alone.
func TestVMSucceeded(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	const name = "tsnoop_4000003"
	probe := "p:" + name + "/e_x7q " + place
	must(t, "define", fsys.Change(probe))
	slow, err := fsys.Adopt(name)
	must(t, "Adopt", err)
	removed, err := fsys.Clean(t.Logf)
	if err != nil || !slices.Equal(removed, []Removed{{name, false, 1}}) {
		t.Errorf("Clean: got %v, %v", removed, err)
	}

	must(t, "mkdir", fsys.Root().Mkdir("instances/"+name, 0o750))
	alive, err := fsys.Open("instances/" + name + "/tracing_on")
	must(t, "open", err)
	must(t, "flock", unix.Flock(int(alive.Fd()), unix.LOCK_EX))
	must(t, "define", fsys.Change(probe))
	must(t, "Close", slow.Close())
	if text, _ := readString(fsys, "kprobe_events"); !strings.Contains(text, name) {
		t.Error("the living session's probe is gone")
	}

	alive.Close()
	removed, err = fsys.Clean(t.Logf)
	if err != nil || !slices.Equal(removed, []Removed{{name, true, 1}}) {
		t.Errorf("Clean: got %v, %v", removed, err)
	}
}

// TestVMStorm starts, kills and cleans up many sessions at once: the living are
// left alone, the dead are gone, nothing fails.
func TestVMStorm(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	const n = 4
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			cmd, in, line := child(t, "session", 0)
			group := strings.Fields(line)[0]
			if i%2 == 0 {
				in.Close() // ends without cleaning up
			} else {
				if _, err := fsys.Clean(nil); err != nil {
					t.Errorf("Clean: %v", err)
				}
				if !fsys.Exists("instances/" + group) {
					t.Errorf("%s is gone, but alive", group)
				}
				cmd.Process.Kill()
			}
			cmd.Wait()
		})
	}
	wg.Wait()
	for range n {
		wg.Go(func() {
			if _, err := fsys.Clean(nil); err != nil {
				t.Errorf("Clean: %v", err)
			}
		})
	}
	wg.Wait()
}

//go:build vm

package suite

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// others sets up what other people may have in tracefs, so that there is something to
// destroy, and takes it back at the end of the test. It does without what a kernel does
// not have.
func others(t *testing.T) {
	t.Helper()
	// Leftovers of tests before this one need not stay.
	if out, err := exec.Command("tsnoop", "clean").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, line := range []struct{ file, def, undo string }{
		{"kprobe_events", "p:other/o_seek generic_file_llseek off=$arg2:s64", "-:other/o_seek"},
		{"kprobe_events", "r:other/o_read vfs_read ret=$retval:s64", "-:other/o_read"},
		{"kprobe_events", "p:tsnoop_own/o_seek generic_file_llseek", "-:tsnoop_own/o_seek"},
		{"uprobe_events", "p:other_u/o_user /bin/busybox:0x1000", "-:other_u/o_user"},
		{"synthetic_events", "o_made u64 lat", "!o_made u64 lat"},
		{"dynamic_events", "e:other_e/o_event sched/sched_process_exit pid=$pid", "-:other_e/o_event"},
	} {
		if appendTo(line.file, line.def) == nil {
			t.Cleanup(func() {
				if err := appendTo(line.file, line.undo); err != nil {
					t.Error(err)
				}
			})
		} else if line.file == "kprobe_events" {
			t.Fatalf("%s is refused", line.def)
		}
	}
	for _, name := range []string{"other", "tsnoop_own"} {
		dir := filepath.Join(tracing, "instances", name)
		if err := os.Mkdir(dir, 0o750); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := os.Remove(dir); err != nil {
				t.Error(err)
			}
		})
	}
	const seek = "events/other/o_seek/"
	for _, set := range []struct{ file, value, back string }{
		{"instances/other/buffer_size_kb", "100", ""},
		{"instances/other/trace_clock", "boot", ""},
		{"instances/other/tracing_cpumask", "1", ""},
		{"instances/other/trace_options", "nooverwrite", ""},
		{"instances/other/set_event_pid", "1", ""},
		{"instances/other/tracing_on", "0", ""},
		{"instances/other/" + seek + "filter", "off == 12345", ""},
		{"instances/other/" + seek + "trigger", "traceoff if off == 77777777", "!traceoff if off == 77777777"},
		{"instances/other/" + seek + "enable", "1", "0"},
		{seek + "filter", "off == 54321", "0"},
		{seek + "trigger", "stacktrace:1 if off == 77777777", "!stacktrace:1 if off == 77777777"},
		{seek + "enable", "1", "0"},
		{"events/other/o_read/enable", "1", "0"},
		{"events/other_u/o_user/enable", "1", "0"},
		{"events/sched/sched_process_exit/filter", "prio < 5", "0"},
		{"events/sched/sched_process_exit/enable", "1", "0"},
		{"events/other_e/o_event/enable", "1", "0"},
		{"events/synthetic/o_made/enable", "1", "0"},
		{"set_event_pid", "1", " "},
		{"set_event_notrace_pid", "2", " "},
		{"trace_options", "nooverwrite", "overwrite"},
		{"trace_options", "sym-addr", "nosym-addr"},
		{"saved_cmdlines_size", "200", "128"},
		{"buffer_size_kb", "200", "1408"},
	} {
		if os.WriteFile(filepath.Join(tracing, set.file), []byte(set.value), 0) == nil && set.back != "" {
			t.Cleanup(func() {
				// With truncation, which empties the lists.
				if err := os.WriteFile(filepath.Join(tracing, set.file), []byte(set.back), 0); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// appendTo writes a line to a file of tracefs, as "echo >>" does.
func appendTo(file, line string) error {
	f, err := os.OpenFile(filepath.Join(tracing, file), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(line + "\n")
	return err
}

// A tree is what a tracefs holds: the text of each file, by its name.
type tree map[string]string

// Files that have what happens, and not what is set; those that no read is harmless
// of; and those that are the same as long as the kernel runs.
var unlikeState = regexp.MustCompile(`(^|/)(trace|trace_pipe|trace_pipe_raw|trace_marker.*|snapshot.*|stats|free_buffer|hist.*|inject|` +
	`error_log|saved_cmdlines|saved_tgids|kprobe_profile|uprobe_profile|trace_stat|function_profile.*|stack_.*|touched_functions|` +
	`tracing_max_latency|dyn_ftrace_total_info|README|available_.*|printk_formats|format|id|header_.*|eval_map)$`)

// everything reads all of tracefs that holds state, and the list of all kprobes. At
// the reduced size the events of the kernel are left out, of which there are thousands.
func everything(t *testing.T) tree {
	t.Helper()
	if size(0, 1) == 0 {
		return nearby(t)
	}
	all := tree{}
	err := fs.WalkDir(os.DirFS(tracing), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if unlikeState.MatchString(name) {
				return fs.SkipDir
			}
			all[name+"/"] = ""
		case !unlikeState.MatchString(name):
			all.read(filepath.Join(tracing, name), name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all.read("/sys/kernel/debug/kprobes/list", "kprobes/list")
	return all
}

// read adds a file. Files that cannot be read are the same as long as they cannot be
// read.
func (tr tree) read(path, name string) {
	b, err := os.ReadFile(path)
	if err != nil {
		b = nil
	}
	tr[name] = string(b)
}

// nearby reads what a run of tsnoop could have hit most likely, which is quick: what
// there is of dynamic events and instances, and the settings of all of them.
func nearby(t *testing.T) tree {
	t.Helper()
	few := tree{}
	for _, pattern := range []string{
		"*_events", "*", "events/*other*/*/*", "events/*other*/*", "events/tsnoop*/*/*", "events/sched/*exit/*",
		"instances/*", "instances/*/*", "instances/*/events/*other*/*/*",
	} {
		names, err := filepath.Glob(filepath.Join(tracing, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range names {
			name, _ := filepath.Rel(tracing, path)
			if unlikeState.MatchString(name) || name == "set_ftrace_filter" || name == "enabled_functions" {
				continue
			}
			few.read(path, name)
		}
	}
	return few
}

// same checks that nothing has changed.
func (before tree) same(t *testing.T, after tree) bool {
	t.Helper()
	var diff []string
	for name := range maps.Keys(union(before, after)) {
		if was, is := before[name], after[name]; was != is || has(before, name) != has(after, name) {
			diff = append(diff, fmt.Sprintf("%s: was %q, is %q", name, was, is))
		}
	}
	if diff != nil {
		slices.Sort(diff)
		t.Errorf("tracefs is not as it was, %d files:\n%s", len(diff), strings.Join(diff[:min(len(diff), 30)], "\n"))
	}
	return diff == nil
}

func has(t tree, name string) bool {
	_, ok := t[name]
	return ok
}

func union(a, b tree) tree {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}

// left returns what there is of tsnoop's, "" if nothing.
func left() string {
	var found []string
	names, _ := filepath.Glob(filepath.Join(tracing, "instances/tsnoop_[0-9]*"))
	found = append(found, names...)
	for _, file := range []string{"kprobe_events", "dynamic_events"} {
		b, _ := os.ReadFile(filepath.Join(tracing, file))
		for line := range bytes.Lines(b) {
			if bytes.Contains(line, []byte(":tsnoop_")) && !bytes.Contains(line, []byte(":tsnoop_own/")) {
				found = append(found, string(line))
			}
		}
	}
	return strings.Join(found, "\n")
}

package tracefs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSystemEvents: only a directory of events/ that can be enabled is a system, and
// events/ itself can also be enabled.
func TestSystemEvents(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"enable", "sched/enable", "sched/filter", "sched/sched_switch/enable", "ftrace/print/format", "tsnoop_1/enable", "tsnoop_1/x/enable"} {
		file = filepath.Join(dir, "events", file)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := openRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	fs := &FS{dir: dir, root: root}
	if got := fs.Systems(); !slices.Equal(got, []string{"sched"}) {
		t.Errorf("systems %q", got)
	}
	for system, want := range map[string][]string{"sched": {"sched_switch"}, "": nil, ".": nil, "..": nil, "sched/sched_switch": nil, "ftrace": nil, "tsnoop_1": nil, "nosuch": nil} {
		if got := fs.SystemEvents(system); !slices.Equal(got, want) {
			t.Errorf("events of %q: %q, want %q", system, got, want)
		}
	}
}

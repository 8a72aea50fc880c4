//go:build vm

package tracefs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/tsnoop/tsnoop/tracefs"
)

// An event that the kernel has by itself is recorded in the session's instance only, filtered
// there, and left as it was.
func TestVMUsed(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{BufferKB: 64})
	const event = "sched/sched_process_fork"
	must(t, "Use", s.Use(event))
	if err := s.Use("sched/no_such_event"); err == nil {
		t.Error("an event that does not exist is accepted")
	}
	must(t, "SetFilter", s.SetFilter(event, `child_comm != "x"`))
	if _, err := s.Format(event); err != nil {
		t.Fatal(err)
	}
	must(t, "Enable", s.Enable(t.Context()))
	state := func(file string) string {
		b, err := os.ReadFile(file)
		must(t, "read", err)
		return strings.TrimSpace(string(b))
	}
	own := s.Path("events/" + event)
	host := filepath.Join(fsys.Path(), "events", event)
	if on, others := state(own+"/enable"), state(host+"/enable"); on != "1" || others != "0" {
		t.Errorf("enabled %s here and %s on the machine, want 1 and 0", on, others)
	}
	if got, others := state(own+"/filter"), state(host+"/filter"); got != `child_comm != "x"` || others != "none" {
		t.Errorf("filter %s here and %s on the machine", got, others)
	}
	changed := func() (files []string) {
		for _, c := range s.Changes([]string{event}) {
			files = append(files, strings.TrimPrefix(c.File, own+"/"))
			must(t, "Restore", s.Restore(c))
		}
		return files
	}
	if got := changed(); got != nil {
		t.Errorf("changes of nobody: %q", got)
	}
	must(t, "disable", os.WriteFile(own+"/enable", []byte("0"), 0))
	must(t, "filter", os.WriteFile(own+"/filter", []byte("0"), 0))
	if got := changed(); !slices.Equal(got, []string{"enable", "filter"}) {
		t.Errorf("changes of %q, want enable and filter", got)
	}
	if got := changed(); got != nil || state(own+"/enable") != "1" {
		t.Errorf("after they were undone: %q", got)
	}
	must(t, "Stop", s.Stop())
	if on := state(own + "/enable"); on != "0" {
		t.Errorf("enabled %s after Stop", on)
	}
	must(t, "Close", s.Close())
}

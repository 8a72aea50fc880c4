package names

import (
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
)

func TestDecides(t *testing.T) {
	for file, want := range map[string]bool{
		"tracing_on": true, "trace": true, "set_event_pid": true, "options/overwrite": true, "per_cpu/cpu0/trace": true, "buffer_size_kb": true,
		"events/enable": true, "events/task/enable": true, "events/task/task_rename/filter": true, "events/task/task_rename/trigger": true,
		"events/ext4": false, "events/tsnoop_7": false, "events/task/task_rename": false, "trace_marker": false, "": true,
		"/sys/kernel/tracing/kprobe_events": false, "/sys/kernel/tracing/dynamic_events": false, "/sys/kernel/debug/kprobes/enabled": true,
	} {
		if got := decides(file); got != want {
			t.Errorf("%q: %v", file, got)
		}
	}
}

// TestGuarded has a warning of another change, and then one of the clock.
func TestGuarded(t *testing.T) {
	n, passed := &Names{}, 0
	w := n.Guarded(func(tracefs.Warning) { passed++ })
	w.Warnf("anything")
	w.Warn(tracefs.Warning{Interference: &tracefs.Interference{File: "/t/tracing_on"}})
	if n.clock.Load() {
		t.Error("the clock was not changed")
	}
	w.Warn(tracefs.Warning{Interference: &tracefs.Interference{File: "/t/trace_clock"}})
	if !n.clock.Load() || passed != 3 {
		t.Errorf("%v, %d warnings", n.clock.Load(), passed)
	}
}

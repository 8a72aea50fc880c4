package replay

import (
	"slices"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/stream"
	"github.com/tsnoop/tsnoop/tracefs/tasks"
)

// TestStrangers chooses a process of a recording that knows the processes of threads 10, 11
// and 20. Calls of other threads are not shown, and a warning has their number.
func TestStrangers(t *testing.T) {
	for _, tt := range []struct {
		tids, shown []int
		warning     string
	}{
		{[]int{10, 11, 20, 11}, []int{10, 11, 11}, ""},
		{[]int{10, 12, 12}, []int{10}, "the process of 1 thread is not known: their calls are not shown, also if -p names the process"},
		{[]int{12, 13, 20}, nil, "the processes of 2 threads are not known: their calls are not shown, also if -p names the process"},
	} {
		warned := ""
		r := choose(&stream.Stream{Processes: tasks.LoadProcesses([][]int{{10, 11}, {20}}), Warner: func(w tracefs.Warning) { warned += w.Text }}, Choice{Pids: []int{10}})
		var shown []int
		for _, tid := range tt.tids {
			if r.chosen(&calls.Call{Entry: &tracefs.Event{TID: tid}}, &plan.Plan{}) {
				shown = append(shown, tid)
			}
		}
		if r.warnStrange(); !slices.Equal(shown, tt.shown) || warned != tt.warning {
			t.Errorf("%v: calls of %v are shown, want %v; warning %q", tt.tids, shown, tt.shown, warned)
		}
	}
}

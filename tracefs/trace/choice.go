package trace

import (
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/filter"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A Choice says which calls of a recording, or of text, are shown. The zero value shows
// all.
type Choice struct {
	Pids []int  // calls of these processes; empty for all
	Comm string // calls of tasks with such a name, a glob; empty for all
	CPUs []int  // calls that begin on these CPUs; empty for all
}

// choose has the reading show only the calls of a choice.
func (r *Reading) choose(c Choice) {
	r.choice = c
	switch {
	case len(c.CPUs) == 0:
	case len(r.cpus) == 0:
		r.cpus = c.CPUs
	default: // only these were recorded
		r.cpus = slices.DeleteFunc(slices.Clone(c.CPUs), func(cpu int) bool { return !slices.Contains(r.cpus, cpu) })
		if len(r.cpus) == 0 {
			r.cpus = []int{-1}
		}
	}
	r.strange = map[int]bool{}
	if len(c.Pids) > 0 && r.processes == nil {
		r.warner.Warnf("the processes of threads were not recorded: -p selects the threads with these IDs")
	}
}

// warnStrange warns of calls that are not shown because it is not known whose they are: the
// event of the task that began was lost, or is not in the recording.
func (r *Reading) warnStrange() {
	if n := len(r.strange); n > 0 {
		r.warner.Warnf("%s not known: their calls are not shown, also if -p names the process", strangers(n))
	}
}

func strangers(n int) string {
	if n == 1 {
		return "the process of 1 thread is"
	}
	return fmt.Sprintf("the processes of %d threads are", n)
}

// chosen reports whether a call is of a task that is asked for.
func (r *Reading) chosen(c *calls.Call, plan *plan.Plan) bool {
	e := c.Entry
	if e == nil {
		e = c.Return
	}
	if len(r.choice.Pids) > 0 && !r.ofProcess(e) {
		return false
	}
	return r.choice.Comm == "" || filter.Match(r.choice.Comm, string(r.comm(c, plan)))
}

// ofProcess reports whether the task of an event is in one of the processes asked for.
func (r *Reading) ofProcess(e *tracefs.Event) bool {
	pid, ok := r.Process(e.TID)
	if !ok {
		pid = e.TID // which is right for the first thread of a process
	}
	is := slices.Contains(r.choice.Pids, pid)
	if !ok && !is && r.processes != nil {
		r.strange[pid] = true
	}
	return is
}

// comm returns the name of the task that made a call, as far as it was recorded.
func (r *Reading) comm(c *calls.Call, plan *plan.Plan) []byte {
	for _, p := range plan.Probes {
		e := c.Event(p.Side == dynevent.Return, p.Part)
		if e == nil {
			continue
		}
		if p.Comm >= 0 {
			if text := r.decoder[p].Text(p.Comm, e.Data); text != nil {
				return text
			}
		}
		if len(e.Comm) > 0 {
			return e.Comm
		}
	}
	return nil
}

// allCalls reports whether no plan chooses calls by the name of the task.
func allCalls(plans []*plan.Plan) bool {
	return !slices.ContainsFunc(plan.Probes(plans), (*plan.Probe).ChoosesComm)
}

package replay

import (
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/filter"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/stream"
)

// A Choice says which calls of a recording, or of text, are shown. The zero value shows
// all.
type Choice struct {
	Pids []int  // calls of these processes; empty for all
	Comm string // calls of tasks with such a name, a glob; empty for all
	CPUs []int  // calls that begin on these CPUs; empty for all
}

// A chooser shows only the calls of a choice.
type chooser struct {
	*stream.Stream
	Choice
	strange map[int]bool // threads of unknown processes whose calls are not shown
	refused uint64       // calls that are not of the choice
	some    bool         // a call is
	stacks  bool         // a call has a stack
}

// choose has a stream show only the calls of a choice.
func choose(r *stream.Stream, c Choice) *chooser {
	ch := &chooser{Stream: r, Choice: c, strange: map[int]bool{}}
	switch {
	case len(c.CPUs) == 0:
	case len(r.CPUs) == 0:
		r.CPUs = c.CPUs
	default: // only these were recorded
		r.CPUs = slices.DeleteFunc(slices.Clone(c.CPUs), func(cpu int) bool { return !slices.Contains(r.CPUs, cpu) })
		if len(r.CPUs) == 0 {
			r.CPUs = []int{-1}
		}
	}
	all := len(c.Pids) == 0 && c.Comm == "" && len(r.CPUs) == 0
	r.Choose = func(c *calls.Call, p *plan.Plan) bool {
		if !all && !ch.chosen(c, p) {
			ch.refused++
			return false
		}
		ch.some = true
		ch.stacks = ch.stacks || c.Entry != nil && len(c.Entry.Stack) > 0 || c.Return != nil && len(c.Return.Stack) > 0
		return true
	}
	if len(c.Pids) > 0 && r.Processes == nil {
		r.Warner.Warnf("the processes of threads were not recorded: -p selects the threads with these IDs")
	}
	return ch
}

// warnStrange warns of calls that are not shown because it is not known whose they are: the
// event of the task that began was lost, or is not in the recording.
func (r *chooser) warnStrange() {
	if n := len(r.strange); n > 0 {
		r.Warner.Warnf("%s not known: their calls are not shown, also if -p names the process", strangers(n))
	}
}

// warnNone warns that the choice leaves out all calls that there are.
func (r *chooser) warnNone() {
	if r.refused > 0 && !r.some {
		r.Warner.Warnf("no call is shown: --pid, --comm and --cpu select none of %d", r.refused)
	}
}

func strangers(n int) string {
	if n == 1 {
		return "the process of 1 thread is"
	}
	return fmt.Sprintf("the processes of %d threads are", n)
}

// chosen reports whether a call is of a CPU and a task that are asked for.
func (r *chooser) chosen(c *calls.Call, plan *plan.Plan) bool {
	if !r.IsHere(c, plan) {
		return false
	}
	e := c.Entry
	if e == nil {
		e = c.Return
	}
	if len(r.Pids) > 0 && !r.ofProcess(e) {
		return false
	}
	return r.Comm == "" || filter.Match(r.Comm, string(r.comm(c, plan)))
}

// ofProcess reports whether the task of an event is in one of the processes asked for.
func (r *chooser) ofProcess(e *tracefs.Event) bool {
	pid, ok := r.Process(e.TID)
	if !ok {
		pid = e.TID // which is right for the first thread of a process
	}
	is := slices.Contains(r.Pids, pid)
	if !ok && !is && r.Processes != nil {
		r.strange[pid] = true
	}
	return is
}

// comm returns the name of the task that made a call, as far as it was recorded.
func (r *chooser) comm(c *calls.Call, plan *plan.Plan) []byte {
	for _, p := range plan.Probes {
		e := c.Event(p.Side == dynevent.Return, p.Part)
		if e == nil {
			continue
		}
		if p.Comm >= 0 {
			if text := r.Decoder(p).Text(p.Comm, e.Data); text != nil {
				return text
			}
		}
		if len(e.Comm) > 0 {
			return e.Comm
		}
	}
	return nil
}

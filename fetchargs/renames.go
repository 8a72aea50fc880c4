package fetchargs

import (
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// renamed is the function that gives a task its name: exec, prctl and /proc/PID/comm all
// call it (fs/exec.c).
const renamed = "__set_task_comm(tsk->pid, buf:string)"

// Renames returns the plan that is needed together with paired plans if Target.Comm is
// set. If a task changes its name while a function runs, it no longer passes the filter
// of the function's return, and its later calls are not seen. So tsnoop must know that
// the name has changed.
func Renames(t *target.Target) (*plan.Plan, error) {
	own := *t
	own.Pair, own.Comm, own.Symbols, own.Measures = false, "", nil, nil
	s, err := spec.Parse(renamed)
	if err != nil {
		return nil, err
	}
	plans, err := Resolve([]*spec.Spec{s}, &own)
	if err != nil {
		return nil, fmt.Errorf("whether a task gets another name cannot be seen: %w", err)
	}
	plan := plans[0]
	plan.Renames = t.Comm
	plan.Entry().Event = "tsnoop_renames" // no function has this name
	if t.Nonce != "" {
		plan.Entry().Event += "_" + t.Nonce
	}
	return plan, nil
}

package fetchargs

import (
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// renamed is the function that gives a task its name: exec, prctl and
// /proc/PID/comm all come to it (fs/exec.c).
const renamed = "__set_task_comm(tsk->pid, buf:string)"

// Renames makes the plan that paired plans need beside them if Target.Comm is
// set. A task that gets another name while a function runs does not pass the
// filters of the function's return any more, and what it calls then goes unseen:
// so it must be known that it did.
func Renames(t *Target) (*Plan, error) {
	own := *t
	own.Pair, own.Comm, own.Symbols = false, "", nil
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
	plan.Entry().Event = "tsnoop_renames" // no function's
	if t.Nonce != "" {
		plan.Entry().Event += "_" + t.Nonce
	}
	return plan, nil
}

// Renamed tells of an event of a plan of [Renames] whose name it is about, and
// whether the task's new name does not match any more.
func (p *Plan) Renamed(d *value.Decoder, data []byte) (tid int, out bool) {
	pid, name := d.Value(0, data), d.Value(1, data)
	if pid.Kind != value.Int {
		return 0, false
	}
	return int(int32(pid.Uint)), name.Kind != value.Text || !globMatch(p.Renames, string(name.Bytes[:min(len(name.Bytes), commLen)]))
}

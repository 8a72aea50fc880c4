package calls

import "github.com/tsnoop/tsnoop/tracefs"

// A thread that calls execve becomes its process: all others end, and it goes on with the
// TID of the first one. So the calls that lead to there, execve itself among them, are
// entered with one TID and return with another. The kernel's stack remains the same.

// former returns the task that e, a return with stack pointer sp, was before it took over
// the TID that it has, or nil. The return has no entry under its TID, so the only task that
// may have entered the function at this place is the one that had this stack before. That
// one may also have ended within a call, and a new task have got its stack: but then the
// entry of the new task was also seen, if none is filtered.
func (p *Pairer) former(e *tracefs.Event, side *Side, sp uint64) *task {
	if sp == 0 || e.TID == 0 || side.Filtered {
		return nil
	}
	for t := p.used.root.prev; t != &p.used.root; t = t.prev {
		if t.key < 0 { // an idle task, which calls no execve
			continue
		}
		if i := t.find(sp, side.Plan, p.opts.Delta); i >= 0 && t.entries[i].stack != 0 {
			return t
		}
	}
	return nil
}

// rename gives the task t another TID. The task that had it, nil if there are no calls of
// it, has ended.
func (p *Pairer) rename(t, had *task, tid int) *task {
	if had != nil {
		p.abandon(had, 0)
		p.forget(had)
	}
	delete(p.tasks, t.key)
	t.key = tid
	p.tasks[tid] = t
	return t
}

package trace

import (
	"context"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/tasks"
)

// chooseThreads sets whose calls are traced: those of the processes of Options.Pids,
// and with Follow also of their children.
func (t *Trace) chooseThreads(so *tracefs.Options) (err error) {
	if t.o.Processes {
		t.Processes = tasks.NewProcesses()
		t.births = !t.o.Text && t.host.FS.HasNewTasks()
		so.NewTasks = t.births
	}
	if len(t.o.Pids) == 0 {
		return nil
	}
	if so.Pids, err = tasks.Threads(t.o.Pids, t.o.Follow); err != nil {
		return err
	}
	t.family = func() ([]int, error) { return tasks.Family(t.o.Pids, t.o.Follow) }
	so.Follow = t.o.Follow
	so.ThreadsNow = func() ([]int, error) {
		tids, err := t.family()
		t.Own.Add(tids)
		return tids, err
	}
	if t.o.Follow {
		return nil
	}
	if t.o.Text || !t.host.FS.HasNewTasks() { // text can be forged
		t.Warner.Warnf("only threads that run now are traced; with --follow also those started later, and child processes")
		return nil
	}
	so.NewTasks, t.births = true, true
	t.Own = tasks.NewOwnThreads(t.o.Pids, so.Pids)
	return nil
}

// traced returns the threads that are traced, or nil for all.
func (t *Trace) traced() []int {
	if t.family == nil {
		return nil
	}
	tids, err := t.family()
	if err != nil || tids == nil {
		return []int{}
	}
	return tids
}

// WhileAlive returns a context that is also done once the last process of Options.Pids has
// ended; with Options.Follow, also once the last of its descendants has, of which the
// kernel keeps the list. Call release to stop watching.
func (t *Trace) WhileAlive(ctx context.Context) (_ context.Context, release func(), err error) {
	if t.o.Follow {
		return tasks.WhileAlive(ctx, t.o.Pids, t.session.Listed)
	}
	return tasks.WhileAlive(ctx, t.o.Pids, nil)
}

package stream

import (
	"iter"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/tasks"
)

// LearnNewTasks prepares the stream for events of format f.
func (r *Stream) LearnNewTasks(f *tracefs.Format) error {
	n, err := tasks.NewTasksOf(f, r.Order)
	if err != nil {
		return err
	}
	if r.known[f.ID] {
		return tasks.ErrNoNewTasks
	}
	r.Own.Learn(n)
	r.Processes.Learn(n)
	r.Formats = append(r.Formats, f)
	return nil
}

// Process returns the process that a thread belongs to at this point of the trace, and
// whether it is known. That needs Options.Processes, of a recording when it was made.
func (r *Stream) Process(tid int) (pid int, ok bool) { return r.Processes.Of(tid) }

// LearnStacks notes the format in which stacks are recorded.
func (r *Stream) LearnStacks(f *tracefs.Format) {
	r.stacks = f
	r.Formats = append(r.Formats, f)
}

// Follow adds stacks to the events, if they are wanted, learns from those of new tasks, and
// drops those of threads that are not shown.
func (r *Stream) Follow(events iter.Seq2[*tracefs.Event, error]) iter.Seq2[*tracefs.Event, error] {
	if r.stacks != nil {
		events = read.JoinStacks(events, r.stacks, r.Order)
	}
	return r.Names.Follow(r.Own.Only(r.Processes.Follow(events, r.Own == nil)), r.isNameless)
}

// isNameless reports whether events do not have the names of their tasks.
func (r *Stream) isNameless(f *tracefs.Format) bool { return r.nameless[f.ID] }

// HasNameless reports whether there are such events.
func (r *Stream) HasNameless() bool { return len(r.nameless) > 0 }

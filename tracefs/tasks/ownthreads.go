package tasks

import (
	"iter"
	"slices"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// OwnThreads distinguishes the threads of the traced processes from the processes that they
// start. The kernel cannot: it follows all tasks that a traced task starts, or none. So it
// follows all and reports every new task, and the events of children are dropped here. A nil
// *OwnThreads drops nothing.
type OwnThreads struct {
	Pids    []int // the traced processes
	Threads []int // their threads when the trace began

	newTasks NewTasks
	ours     map[int]bool        // by thread ID: whether it belongs to a traced process
	ask      func(tid int) []int // the threads of the thread's process, nil if it has ended; may be nil
	last     int                 // thread ID of the previous event; mostly the next one has the same
	lastOurs bool
	blank    tracefs.Event // replaces a dropped event that says how many were lost
}

// NewOwnThreads returns what keeps the threads of processes, which are these now.
func NewOwnThreads(pids, threads []int) *OwnThreads {
	return &OwnThreads{Pids: pids, Threads: threads, ask: living}
}

// Add notes further threads of the processes, before the trace begins.
func (k *OwnThreads) Add(threads []int) {
	if k != nil {
		k.Threads = append(k.Threads, threads...)
	}
}

// blankFormat is the format of an event that replaces a dropped one.
var blankFormat = &tracefs.Format{ID: -1}

// Learn prepares k for events of new tasks.
func (k *OwnThreads) Learn(of NewTasks) {
	if k == nil {
		return
	}
	k.newTasks = of
	k.ours, k.last = map[int]bool{}, -1
	for _, tid := range k.Threads {
		k.ours[tid] = true
	}
}

// living returns the threads of the process that tid belongs to, nil if it has ended.
func living(tid int) []int {
	tids, err := proc.Threads(tid)
	if err != nil {
		return nil
	}
	return tids
}

// Only drops the events of other processes.
func (k *OwnThreads) Only(events iter.Seq2[*tracefs.Event, error]) iter.Seq2[*tracefs.Event, error] {
	if k == nil {
		return events
	}
	return func(yield func(*tracefs.Event, error) bool) {
		for e, err := range events {
			if err == nil && !k.keep(e) {
				if e.Lost == 0 {
					continue
				}
				k.blank = tracefs.Event{Format: blankFormat, Time: e.Time, CPU: e.CPU, TID: e.TID, Lost: e.Lost}
				e = &k.blank
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// keep reports whether an event is from one of our threads. It learns from the events
// of new tasks.
func (k *OwnThreads) keep(e *tracefs.Event) bool {
	isNewTask := k.newTasks.has(e)
	if e.TID == k.last && !isNewTask {
		return k.lastOurs
	}
	ours, known := k.ours[e.TID]
	if !known { // the event for its start was lost
		ours = k.asked(e.TID)
		k.ours[e.TID] = ours
	}
	k.last, k.lastOurs = e.TID, ours
	if !isNewTask {
		return ours
	}
	if child, thread, ok := k.newTasks.started(e); ok {
		k.last = -1 // the child may have a reused thread ID
		k.ours[child] = ours && thread
	}
	return false
}

// asked finds out whether a thread is ours; that works only while it lives.
func (k *OwnThreads) asked(tid int) bool {
	if k.ask == nil {
		return false
	}
	return slices.ContainsFunc(k.ask(tid), func(tid int) bool { return slices.Contains(k.Pids, tid) })
}

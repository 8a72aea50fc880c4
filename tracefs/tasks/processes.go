// Package tasks knows which process each thread of a trace belongs to. It learns that from
// /proc, from a recording, and from the events that the kernel records for new tasks.
package tasks

import (
	"iter"
	"maps"
	"slices"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// Processes knows which process each thread belongs to. An event has only the thread, and
// when it is read the thread may have ended. So the kernel also records an event for each
// new task, and /proc is asked for those that are older. A nil *Processes knows nothing.
type Processes struct {
	newTasks NewTasks
	ids      map[int]int // process by thread; -1 if it is not known
	foreign  bool        // /proc is of no use: it numbers tasks in another way, or this is a recording
}

// NewProcesses returns what knows no process yet. See Remember and Learn.
func NewProcesses() *Processes {
	return &Processes{ids: map[int]int{0: 0}, foreign: !tracefs.InitPIDNamespace()}
}

// Save returns the processes of when the trace began with their threads, the ID of the
// process first; nil if they are not known for all of the trace.
func (p *Processes) Save() [][]int {
	if p == nil || p.newTasks.format == nil {
		return nil
	}
	at := map[int]int{}
	list := [][]int{}
	for _, tid := range slices.Sorted(maps.Keys(p.ids)) {
		pid := p.ids[tid]
		if pid < 0 {
			continue
		}
		i, ok := at[pid]
		if !ok {
			i = len(list)
			at[pid] = i
			list = append(list, []int{pid})
		}
		if tid != pid {
			list[i] = append(list[i], tid)
		}
	}
	return list
}

// LoadProcesses returns the processes whose list Save has returned.
func LoadProcesses(list [][]int) *Processes {
	p := &Processes{ids: map[int]int{}, foreign: true}
	for _, tids := range list {
		for _, tid := range tids {
			p.ids[tid] = tids[0]
		}
	}
	return p
}

// Of returns the process that a thread belongs to at this point of the trace, and whether
// it is known.
func (p *Processes) Of(tid int) (pid int, ok bool) {
	if p == nil {
		return 0, false
	}
	pid = p.find(tid)
	return pid, pid >= 0
}

// Learn prepares p for events of new tasks.
func (p *Processes) Learn(of NewTasks) {
	if p != nil {
		p.newTasks = of
	}
}

func (p *Processes) find(tid int) int {
	pid, known := p.ids[tid]
	if known {
		return pid
	}
	if pid = -1; !p.foreign {
		if of, ok := proc.ProcessOf(tid); ok {
			pid = of
		}
	}
	p.ids[tid] = pid
	return pid
}

// Remember looks up all threads that there are. It is called before and after the events of
// new tasks are enabled: a thread ID that has got to another process meanwhile is not known
// until such an event says so.
func (p *Processes) Remember() {
	if p == nil || p.foreign {
		return
	}
	for _, process := range proc.Processes() {
		tids, err := proc.Threads(process.PID)
		if err != nil {
			continue // it has ended
		}
		for _, tid := range tids {
			pid, known := p.ids[tid]
			if p.ids[tid] = process.PID; known && pid != process.PID {
				p.ids[tid] = -1
			}
		}
	}
}

// Follow learns from the events of new tasks, and drops them if drop is set.
func (p *Processes) Follow(events iter.Seq2[*tracefs.Event, error], drop bool) iter.Seq2[*tracefs.Event, error] {
	if p == nil {
		return events
	}
	return func(yield func(*tracefs.Event, error) bool) {
		for e, err := range events {
			if err == nil && p.learned(e) && drop && e.Lost == 0 {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// learned reports whether e is about a new task, which it then learns about.
func (p *Processes) learned(e *tracefs.Event) bool {
	tid, thread, ok := p.newTasks.started(e)
	if !ok {
		return false
	}
	pid := tid
	if thread {
		pid = p.find(e.TID)
	}
	p.ids[tid] = pid
	return true
}

// Births returns the ID of the events of new tasks, or -1 if there are none.
func (p *Processes) Births() int {
	if p == nil || p.newTasks.format == nil {
		return -1
	}
	return p.newTasks.format.ID
}

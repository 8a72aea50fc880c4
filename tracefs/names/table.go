package names

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// commLen is the most bytes of a task's name, without the NUL: TASK_COMM_LEN - 1.
const commLen = 15

// racing is how close, in ns, two changes of a name can be that the kernel may have traced in
// another order than it made them: it traces a name before it writes it.
const racing = 20e3

// fewNames is how many names are kept without asking whether their tasks live.
const fewNames = 1 << 14

// A table has the name of each task at one moment of the trace. Events are added to it in the
// order of time.
//
// It begins with what /proc has at some moments between began and from, while events are
// recorded already. Events from before from are added as all others. That is right from from
// on: the last event of a task before from has the name that the task had then, and if there is
// none, the name did not change since began, and /proc had the right one.
type table struct {
	names       map[int]*name
	began, from uint64 // from is unknown while no name is
	last        int    // the thread that was asked for last
	lastName    *name
	idle        [][]byte // names of the idle tasks, by CPU

	most int    // names at which the dead are looked for
	dead uint64 // when those that are marked were dead, 0 if none are
}

// A name is that of one task. It takes 48 bytes, and some 20 in the map.
type name struct {
	text  [commLen]byte
	n     int8   // bytes of text; -1 if the name is not known
	dead  bool   // the task has ended before table.dead, unless an event shows another one
	by    int32  // the thread that changed the name
	given uint64 // when, 0 if it was not changed
}

// unknown is a time that never comes.
const unknown = ^uint64(0)

// forget makes all names unknown.
func (t *table) forget() { *t = table{from: unknown, idle: t.idle} }

// begin starts over with the names that /proc had for all tasks, between two times.
func (t *table) begin(comms map[int]string, began, from uint64) {
	t.forget()
	t.began, t.from = began, from
	t.names = make(map[int]*name, len(comms))
	for tid, comm := range comms {
		e := &name{}
		e.set([]byte(comm))
		t.names[tid] = e
	}
	t.most = max(fewNames, 2*len(comms))
}

func (n *name) set(comm []byte) { n.n = int8(copy(n.text[:], comm)) }

// of returns the name that a thread had at a time, nil if it is not known. It is valid until
// the next event is added.
func (t *table) of(tid, cpu int, time uint64) []byte {
	if time < t.from {
		return nil
	}
	if tid == 0 {
		return t.idleOn(cpu)
	}
	if tid != t.last || t.lastName == nil {
		t.last, t.lastName = tid, t.names[tid]
	}
	if e := t.lastName; e != nil && e.n >= 0 {
		return e.text[:e.n]
	}
	return nil
}

// idleOn returns the name of a CPU's idle task, all of which have the ID 0.
func (t *table) idleOn(cpu int) []byte {
	for cpu >= len(t.idle) {
		t.idle = append(t.idle, fmt.Appendf(nil, "swapper/%d", len(t.idle)))
	}
	return t.idle[cpu]
}

// entry returns the entry of a thread, which it makes if there is none.
func (t *table) entry(tid int) *name {
	e := t.names[tid]
	if e == nil {
		e = &name{n: -1}
		t.names[tid] = e
		t.last, t.lastName = 0, nil
	}
	return e
}

// born adds the event of a new task.
func (t *table) born(tid int, comm []byte, time uint64) {
	if t.from == unknown {
		return
	}
	e := t.entry(tid)
	raced := e.given != 0 && int(e.by) != tid && time-e.given < racing // or its ID was used before
	*e = name{}
	if e.set(comm); raced {
		e.n = -1
	}
	t.prune(time)
}

// renamed adds the event of a task that the thread by has given a name.
func (t *table) renamed(tid, by int, comm []byte, time uint64) {
	if t.from == unknown {
		return
	}
	e := t.entry(tid)
	raced := e.given != 0 && int(e.by) != by && (by == tid || int(e.by) == tid) && time-e.given < racing
	*e = name{by: int32(by), given: time}
	if e.set(comm); raced {
		e.n = -1
	}
}

// swapped adds the event of a thread that executes a program: it goes on under the ID of the
// first thread of its process, with its own name, and that one has ended.
func (t *table) swapped(tid, first int, time uint64) {
	if t.from == unknown {
		return
	}
	to := t.entry(first)
	if is := t.names[tid]; is != nil && time >= t.from {
		*to = *is
	} else {
		to.n = -1 // /proc may have had tid for another task
	}
	to.dead = false
}

// lost notes that events were lost that are earlier than before. If all of these were earlier
// than the table, nothing is missing. Else no name is known any more, and it returns true.
func (t *table) lost(before uint64) bool {
	if t.from == unknown || before <= t.began {
		return false
	}
	t.forget()
	return true
}

// prune removes the names of tasks that have ended once there are many. An event of such a task
// may be still to come, so they are marked first, and removed when all events have come that
// are earlier.
func (t *table) prune(time uint64) {
	if t.dead != 0 && time > t.dead {
		for tid, e := range t.names {
			if e.dead {
				delete(t.names, tid)
			}
		}
		t.dead, t.last, t.lastName = 0, 0, nil
		t.most = max(fewNames, 2*len(t.names))
	}
}

// mark marks those that have ended by now, if there are many names.
func (t *table) mark(now func() uint64, lives func(tid int) bool) {
	if t.dead != 0 || len(t.names) < t.most {
		return
	}
	for tid, e := range t.names {
		e.dead = !lives(tid)
	}
	t.dead = now()
}

// lives reports whether there is a thread of this ID.
func lives(tid int) bool { return unix.Kill(tid, 0) != unix.ESRCH }

// kernelWorker returns the name of a worker of a workqueue, to which /proc/TID/comm adds what
// it works for: "kworker/0:1-events" (kernel/workqueue.c, wq_worker_comm).
func kernelWorker(comm string) string {
	i := 0
	digits := func() bool {
		from := i
		for i < len(comm) && comm[i] >= '0' && comm[i] <= '9' {
			i++
		}
		return i > from
	}
	if rest, is := strings.CutPrefix(comm, "kworker/"); is {
		i = len(comm) - len(strings.TrimPrefix(rest, "u"))
		if digits() && i < len(comm) && comm[i] == ':' {
			i++
			if digits() {
				if i < len(comm) && comm[i] == 'H' {
					i++
				}
				if i < len(comm) && (comm[i] == '+' || comm[i] == '-') {
					return comm[:i]
				}
				return comm
			}
		}
	}
	comm, _, _ = strings.Cut(comm, "+") // a rescuer, which is named for its workqueue
	return comm
}

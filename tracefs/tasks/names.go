package tasks

import (
	"fmt"
	"iter"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// Names gives events that do not have the name of their task the one that the task had last,
// as the kernel's own text does. A nil *Names gives none.
type Names struct {
	known map[int]name
	live  bool // /proc can be asked

	// ended returns the names that the kernel remembers of tasks, also of some that have
	// ended. It is asked once in nameTime.
	ended func() (map[int]string, error)
	asked uint64
}

type name struct {
	comm []byte
	at   uint64 // time of the event for which /proc was asked
}

// nameTime is how long a name is believed: exec and prctl change it.
const nameTime = 10e6 // ns

// mostNames is how many names are known at once: a trace may go on for days.
const mostNames = 1 << 16

// NewNames returns the names of the tasks of this host. ended returns those that the kernel
// remembers, see FS.Cmdlines.
func NewNames(ended func() (map[int]string, error)) *Names {
	return &Names{known: map[int]name{}, live: tracefs.InitPIDNamespace(), ended: ended}
}

// RecordedNames returns names that a recording has, by thread.
func RecordedNames(comms map[int]string) *Names {
	n := &Names{known: make(map[int]name, len(comms))}
	for tid, comm := range comms {
		n.known[tid] = name{comm: []byte(comm)}
	}
	return n
}

// Follow gives the events of some formats their names.
func (n *Names) Follow(events iter.Seq2[*tracefs.Event, error], wanted func(*tracefs.Format) bool) iter.Seq2[*tracefs.Event, error] {
	if n == nil {
		return events
	}
	return func(yield func(*tracefs.Event, error) bool) {
		for e, err := range events {
			if err == nil && len(e.Comm) == 0 && wanted(e.Format) {
				e.Comm = n.of(e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (n *Names) of(e *tracefs.Event) []byte {
	tid := e.TID
	if tid == 0 { // the idle task of each CPU has a name of its own
		tid = -1 - e.CPU
	}
	is, known := n.known[tid]
	switch {
	case tid < 0 && !known:
		is.comm = fmt.Appendf(nil, "swapper/%d", e.CPU)
	case tid < 0 || !n.live || known && e.Time < is.at+nameTime:
		return is.comm
	default:
		if comm := proc.Comm(tid); comm != "" { // else it has ended: this was its last name
			is.comm = []byte(comm)
		} else if len(is.comm) == 0 && e.Time >= n.asked+nameTime {
			n.asked = e.Time
			n.remember()
			is = n.known[tid]
		}
		is.at = e.Time
	}
	if len(n.known) >= mostNames {
		clear(n.known)
	}
	n.known[tid] = is
	return is.comm
}

// remember learns the names of tasks that have ended.
func (n *Names) remember() {
	names, err := n.ended()
	if err != nil {
		return
	}
	for tid, comm := range names {
		if len(n.known[tid].comm) == 0 {
			n.known[tid] = name{comm: []byte(comm)}
		}
	}
}

// Living returns names with those of the tasks that live now.
func (n *Names) Living(names map[int]string) map[int]string {
	for _, process := range proc.Processes() {
		tids, _ := proc.Threads(process.PID) // none if it has ended
		for _, tid := range tids {
			if comm := proc.Comm(tid); n.live && comm != "" {
				names[tid] = comm
			}
		}
	}
	return names
}

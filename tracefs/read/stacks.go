package read

import (
	"encoding/binary"
	"iter"

	"github.com/tsnoop/tsnoop/tracefs"
)

// maxHeld limits how many events wait for a stack. Only one for each CPU and context
// does, unless the kernel could not write a stack.
const maxHeld = 1024

// JoinStacks gives each event the stack that the kernel recorded after it, with the
// option stacktrace. That is the next stack record on the same CPU, except for those of
// interrupts that came in between. The order of the events stays.
//
// An event and its slices are valid until the next one.
//
// See __ftrace_trace_stack in kernel/trace/trace.c.
func JoinStacks(events iter.Seq2[*tracefs.Event, error], stack *tracefs.Format, order binary.ByteOrder) iter.Seq2[*tracefs.Event, error] {
	return func(yield func(*tracefs.Event, error) bool) {
		j := &stackJoiner{order: order, waiting: map[int][]*heldEvent{}, lost: map[int]uint64{}}
		for e, err := range events {
			switch {
			case err != nil:
				if j.release() && j.drain(yield) {
					yield(nil, err)
				}
				return
			case e.Format.ID == stack.ID:
				j.stack(e, stack)
			default:
				j.event(e)
			}
			if !j.drain(yield) {
				return
			}
		}
		_ = j.release() && j.drain(yield)
	}
}

// A stackJoiner holds events until they have their stacks.
type stackJoiner struct {
	order   binary.ByteOrder
	queue   []*heldEvent         // in the order of the events
	waiting map[int][]*heldEvent // by CPU: events without a stack, outermost (interrupted) first
	lost    map[int]uint64       // by CPU: events lost before a stack
	free    []*heldEvent
	last    *heldEvent // the event that was yielded last
}

// A heldEvent is a copy of an event.
type heldEvent struct {
	tracefs.Event
	waits bool
}

// event adds an event that is not a stack.
func (j *stackJoiner) event(e *tracefs.Event) {
	h := j.hold(e)
	if n := j.lost[e.CPU]; n > 0 {
		h.Lost = addLost(h.Lost, n)
		delete(j.lost, e.CPU)
	}
	// Only what interrupts the last event may come before that event's stack.
	waiting := j.waiting[e.CPU]
	for n := len(waiting); n > 0 && (h.Lost > 0 || waiting[n-1].level() >= h.level()); n = len(waiting) {
		waiting[n-1].waits = false
		waiting = waiting[:n-1]
	}
	j.waiting[e.CPU] = append(waiting, h)
	j.queue = append(j.queue, h)
	if len(j.queue) > maxHeld {
		j.release()
	}
}

// stack handles a stack record: its size and that many addresses.
func (j *stackJoiner) stack(e *tracefs.Event, f *tracefs.Format) {
	if e.Lost > 0 { // the event of this stack may be among the lost ones
		j.lost[e.CPU] = addLost(j.lost[e.CPU], e.Lost)
		for _, h := range j.waiting[e.CPU] {
			h.waits = false
		}
		j.waiting[e.CPU] = j.waiting[e.CPU][:0]
		return
	}
	level := interruptLevel(e.Data)
	for waiting := j.waiting[e.CPU]; len(waiting) > 0; waiting = j.waiting[e.CPU] {
		h := waiting[len(waiting)-1]
		j.waiting[e.CPU] = waiting[:len(waiting)-1]
		h.waits = false
		if h.level() == level && h.TID == e.TID {
			h.Stack = j.addresses(h.Stack, e.Data, f)
			return
		}
	}
}

// addresses appends the addresses in a stack record to dst.
func (j *stackJoiner) addresses(dst []uint64, data []byte, f *tracefs.Format) []uint64 {
	size, callers := f.Field("size"), f.Field("caller")
	if size == nil || callers == nil || size.Offset+4 > len(data) || callers.Offset > len(data) {
		return dst
	}
	n, b := int(int32(j.order.Uint32(data[size.Offset:]))), data[callers.Offset:]
	for ; n > 0 && len(b) >= 8; n, b = n-1, b[8:] {
		dst = append(dst, j.order.Uint64(b))
	}
	return dst
}

// hold copies an event.
func (j *stackJoiner) hold(e *tracefs.Event) *heldEvent {
	h := new(heldEvent)
	if n := len(j.free); n > 0 {
		h, j.free = j.free[n-1], j.free[:n-1]
	}
	data, comm, stack := h.Data, h.Comm, h.Stack
	h.Event, h.waits = *e, true
	h.Data, h.Comm, h.Stack = append(data[:0], e.Data...), append(comm[:0], e.Comm...), stack[:0]
	return h
}

// release makes no event wait any longer.
func (j *stackJoiner) release() bool {
	for _, h := range j.queue {
		h.waits = false
	}
	for cpu := range j.waiting {
		j.waiting[cpu] = j.waiting[cpu][:0]
	}
	return true
}

// drain yields the events before the first one that waits.
func (j *stackJoiner) drain(yield func(*tracefs.Event, error) bool) bool {
	n := 0
	for ; n < len(j.queue) && !j.queue[n].waits; n++ {
		if j.last != nil {
			j.free = append(j.free, j.last)
		}
		j.last = j.queue[n]
		if !yield(&j.last.Event, nil) {
			return false
		}
	}
	j.queue = append(j.queue[:0], j.queue[n:]...)
	return true
}

func (h *heldEvent) level() int { return interruptLevel(h.Data) }

// interruptLevel returns the context that a record is from: 0 for a task, 1 for
// softirq, 2 for hardirq, 3 for NMI (enum trace_flag_type in
// include/linux/trace_events.h).
func interruptLevel(data []byte) int {
	if len(data) < 3 {
		return 0
	}
	switch flags := data[2]; {
	case flags&0x40 != 0:
		return 3
	case flags&0x08 != 0:
		return 2
	case flags&0x10 != 0:
		return 1
	}
	return 0
}

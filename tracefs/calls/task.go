package calls

import (
	"slices"

	"github.com/tsnoop/tsnoop/tracefs"
)

// A task holds the entries of one task that have not returned, outermost first. It is
// linked into the list of tasks, which is ordered by time of last use.
type task struct {
	key        int
	entries    []*entry
	prev, next *task
}

// An entry is a copy of an entry event, or of a side that waits for its parts.
type entry struct {
	event    tracefs.Event
	stack    uint64 // stack pointer, 0 if not known
	plan     int
	filtered bool // a filter may have dropped its return
	fn, spec string

	// If the side has several parts, event is the first that was seen.
	side  *Side  // the side that event is of
	parts []part // the others, in the order in which they came

	// Set only with Options.Begin.
	refused bool   // Accept has refused it
	id      uint64 // 0 if it was not yielded
	depth   int
}

// key returns what identifies a task. The idle tasks share TID 0; one runs on each CPU.
func key(e *tracefs.Event) int {
	if e.TID == 0 {
		return -1 - e.CPU
	}
	return e.TID
}

// stackBits is the size of the smallest kernel stack, as a power of two. Only pointers
// into the same block of that size are compared: interrupts run on stacks of their own,
// which may lie above or below the task's.
const stackBits = 14

func sameStack(a, b uint64) bool { return a>>stackBits == b>>stackBits }

// dead returns the index of the first entry that cannot be active any more when a
// function is entered with stack pointer sp: the first one whose frame was where the
// caller's frame is now. Whatever was entered later is over too.
func (t *task) dead(sp uint64) int {
	if sp == 0 {
		return len(t.entries)
	}
	for i, e := range t.entries {
		if sameStack(e.stack, sp) && e.stack < sp {
			return i
		}
	}
	return len(t.entries)
}

// find returns the index of the entry that a return of plan with stack pointer sp
// belongs to, or -1 if there is none. If there are several at the same place, it
// returns the latest: the returns of the others were missed.
func (t *task) find(sp uint64, plan int, delta int64) int {
	for i, e := range slices.Backward(t.entries) {
		if e.plan != plan {
			continue
		}
		if sp == 0 || e.stack == 0 {
			return i
		}
		up := sp - e.stack // wraps around if sp is below e.stack
		if delta >= 0 && up == uint64(delta) || delta < 0 && up <= maxDelta {
			return i
		}
	}
	return -1
}

// above returns the index of the first entry that must be over when entry i has
// returned. All later entries must be, except those with the same stack pointer, which
// return to the same place and may still do so.
func (t *task) above(i int) int {
	if t.entries[i].stack == 0 {
		return len(t.entries)
	}
	for j := i + 1; j < len(t.entries); j++ {
		if t.entries[j].stack != t.entries[i].stack {
			return j
		}
	}
	return len(t.entries)
}

// task finds or makes the task of event e, and marks it as used.
func (p *Pairer) task(e *tracefs.Event) *task {
	k := key(e)
	if t := p.tasks[k]; t != nil {
		p.used.touch(t)
		return t
	}
	if len(p.tasks) >= p.opts.MaxTasks {
		t := p.used.oldest()
		p.tally.Evicted += uint64(len(t.entries))
		p.abandon(t, 0)
		p.forget(t)
	}
	var t *task
	if n := len(p.freeTasks); n > 0 {
		t, p.freeTasks = p.freeTasks[n-1], p.freeTasks[:n-1]
	} else {
		t = new(task)
	}
	t.key = k
	p.tasks[k] = t
	p.used.add(t)
	return t
}

// IsOpen reports whether a call that began at a time or earlier may still be yielded as ended.
func (p *Pairer) IsOpen(until uint64) bool {
	if slices.ContainsFunc(p.gathering, func(g *entry) bool { return g.event.Time <= until }) {
		return true
	}
	for t := p.used.root.next; t != &p.used.root; t = t.next {
		if slices.ContainsFunc(t.entries, func(e *entry) bool { return e.event.Time <= until && !(p.opts.Begin && e.id == 0) }) {
			return true
		}
	}
	return false
}

// forget releases a task that has no entries left.
func (p *Pairer) forget(t *task) {
	p.used.remove(t)
	delete(p.tasks, t.key)
	p.freeTasks = append(p.freeTasks, t)
}

// abandon gives up the entries of t from index i on.
func (p *Pairer) abandon(t *task, i int) {
	over := t.entries[i:]
	if p.opts.Begin {
		slices.Reverse(over)
	}
	for _, e := range over {
		p.giveUp(e)
	}
	clear(t.entries[i:])
	t.entries = t.entries[:i]
}

// supersede gives up the entries that are over when plan's function is entered with
// stack pointer sp. An entry of the same plan at the same place must be over: nothing
// that called it has returned, so it has itself. An equal stack pointer alone proves
// nothing: other plans may probe the same function and have just seen this very call,
// and a tail call enters a function where another one was.
func (p *Pairer) supersede(t *task, sp uint64, plan int) {
	p.abandon(t, t.dead(sp))
	first := slices.IndexFunc(t.entries, func(e *entry) bool { return sp != 0 && e.stack == sp && e.plan == plan })
	if first < 0 {
		return
	}
	if p.opts.Begin { // calls must end in reverse order
		p.abandon(t, first)
		return
	}
	for i := len(t.entries) - 1; i >= first; i-- {
		if e := t.entries[i]; i == first || e.stack != sp {
			p.giveUp(e)
			t.entries = slices.Delete(t.entries, i, i+1)
		}
	}
}

// giveUp queues e as an unfinished call, unless a filter may have dropped its return:
// then e was never more than half a call.
func (p *Pairer) giveUp(e *entry) {
	if e.filtered || p.opts.Begin && e.id == 0 {
		p.freeCalls = append(p.freeCalls, e)
		return
	}
	p.tally.Unfinished++
	p.ready = append(p.ready, activation{entry: half{&e.event, e}, plan: e.plan})
}

// keep copies an entry event into memory of its own.
func (p *Pairer) keep(e *tracefs.Event, side *Side, sp uint64) *entry {
	var k *entry
	if n := len(p.freeCalls); n > 0 {
		k, p.freeCalls = p.freeCalls[n-1], p.freeCalls[:n-1]
	} else {
		k = new(entry)
	}
	keepEvent(&k.event, e)
	k.stack, k.plan, k.filtered, k.fn, k.spec = sp, side.Plan, side.Filtered, side.Func, side.Spec
	if p.parts {
		k.side, k.parts = side, k.parts[:0]
	}
	k.refused, k.id, k.depth = false, 0, 0
	return k
}

// keepEvent copies e to dst, reusing the memory of dst.
func keepEvent(dst, e *tracefs.Event) {
	comm, data, stack := dst.Comm, dst.Data, dst.Stack
	*dst = *e
	dst.Comm = append(comm[:0], e.Comm...)
	dst.Data = append(data[:0], e.Data...)
	dst.Stack = append(stack[:0], e.Stack...)
}

// recycle releases the memory of the call that was yielded last.
func (p *Pairer) recycle() {
	for i := range p.lent {
		if e := p.lent[i]; e != nil {
			p.free(e)
			p.lent[i] = nil
		}
	}
}

// free releases an entry, or a return that was gathered.
func (p *Pairer) free(e *entry) {
	if e != nil {
		p.freeCalls = append(p.freeCalls, e)
	}
}

// A list is a ring of tasks through a sentinel, longest unused first.
type list struct{ root task }

func (l *list) init() { l.root.prev, l.root.next = &l.root, &l.root }

func (l *list) oldest() *task {
	if l.root.next == &l.root {
		return nil
	}
	return l.root.next
}

func (l *list) add(t *task) {
	t.prev, t.next = l.root.prev, &l.root
	t.prev.next, t.next.prev = t, t
}

func (l *list) remove(t *task) {
	t.prev.next, t.next.prev = t.next, t.prev
	t.prev, t.next = nil, nil
}

func (l *list) touch(t *task) {
	l.remove(t)
	l.add(t)
}

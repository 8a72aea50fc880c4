package calls

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/tsnoop/tsnoop/tracefs"
)

// A Side says what the events of one ID are: entries or returns of a plan's function.
type Side struct {
	Plan   int  // index of the plan, copied to Call.Plan
	Return bool // the events are returns
	Paired bool // the plan also has events for the other side

	// Func is the plan's function, "" if not known. With Options.Begin, the entries that several plans
	// have of one call of it are at the same depth. Spec is what the plan was made from.
	Func, Spec string

	// Part says which of the side's Parts events these are, from 0. Parts is 0 or 1 if
	// the side has only one event. The parts of a plan must agree in all other fields,
	// except Return and Stack.
	Part, Parts int

	// Stack is the offset in the record of the u64 that holds the stack pointer, in
	// bytes, or -1 if the record has none.
	Stack int

	// Filtered means that the kernel's filter may drop the event of the other side, so
	// a single event is normal and does not make a call.
	Filtered bool

	// Ends, if not nil, marks events that say something about a task instead. If ok is
	// set, later events of the task tid may go unseen, and its calls are given up.
	Ends func(*tracefs.Event) (tid int, ok bool)
}

// DeltaUnknown is the value of Options.Delta if it is not known by how much the stack
// pointer of a return differs from that of its entry.
const DeltaUnknown = -1

// maxDelta is the largest difference of the two stack pointers of a call if it is not
// known. It is 0 if the return address is in a register, and 0 or 8 on x86-64,
// depending on what the kernel's return trampoline has pushed. Two calls that are
// active at the same time are further apart on the stack.
const maxDelta = 8

// Options describes the machine and limits memory. A limit of zero means its default.
type Options struct {
	// Delta is how many bytes the stack pointer of a return lies above that of its
	// entry, or DeltaUnknown.
	Delta int64

	Order    binary.ByteOrder // byte order of the records; nil means little endian
	MaxTasks int              // tasks to remember; beyond that the one idle longest is given up; default 4096
	MaxDepth int              // entries to keep for a task; beyond that the oldest is given up; default 256

	// Begin also yields calls when they begin. The innermost of the calls that end at
	// once then comes first.
	Begin bool
	// Chain, if not 0, makes the first plans, as many as it says, a chain: plan 0 must
	// lead to plan 1 and so on, directly or not. A call is yielded when its chain is
	// complete, and when it ends; other calls are not. Chain needs Begin.
	Chain int
	// Accept reports whether a call that begins is wanted; nil accepts all. It needs
	// Begin.
	Accept func(*Call) bool
}

// A Tally counts what could not be paired.
type Tally struct {
	Orphans    uint64 // returns without an entry, also those that were not yielded
	Unfinished uint64 // entries that later events show never to return, and those yielded by Rest
	Evicted    uint64 // those of Unfinished that were given up only to limit memory
	Partial    uint64 // entries and returns with parts that were not seen
}

// A Pairer matches the entries and returns of functions. Each return is matched with
// the entry of the same call: same task, same function, same stack pointer.
//
// The entries of a task form a stack, because whatever runs later on a task, including an
// interrupt, returns earlier. The idle tasks all have TID 0, so their CPU distinguishes them.
// An entry never returns if its return probe was missed, if events were lost, or if the
// function does not return (do_exit). This is detected when a later event on the same kernel
// stack lies above it. When events were lost, all entries so far are given up.
type Pairer struct {
	sides []knownSide // by event ID - base
	base  int
	parts bool // some side has several parts
	opts  Options
	tasks map[int]*task
	used  list // tasks, longest idle first

	gathering []*entry     // incomplete sides, each of another task, oldest first
	ready     []activation // calls that are complete but not yet yielded
	matched   activation   // scratch space of match
	lent      [2]*entry    // entries of the call that was yielded last
	call      Call
	begun     uint64   // how many calls were yielded as begun
	links     []*entry // scratch space of link
	freeTasks []*task
	freeCalls []*entry
	tally     Tally
	early     map[place]uint64 // stack pointers of the latest early orphans
}

// A place is where orphans come from.
type place struct{ task, plan int }

// isEarly reports whether an orphan with stack pointer sp may have begun before the first
// event: it has left a frame above those of the earlier ones.
func (p *Pairer) isEarly(at place, sp uint64) bool {
	last, some := p.early[at]
	if some && sp <= last {
		return false
	}
	if some || len(p.early) < 16*p.opts.MaxTasks { // bounds the memory
		p.early[at] = sp
	}
	return true
}

// An activation is what becomes a Call.
type activation struct {
	entry half // missing for an orphan
	ret   half // missing if unfinished, or if it has only begun
	plan  int
	begun bool
	// the plan has no other side
	alone bool
	early bool
}

// A half is one side of a call.
type half struct {
	event *tracefs.Event // the first that was seen; nil if the half is missing
	kept  *entry         // where the event is kept; nil if it was just read
}

// parts returns the entry that holds its parts, nil if there is only one.
func (h half) parts() *entry {
	if h.kept == nil || h.kept.side == nil || h.kept.side.Parts <= 1 {
		return nil
	}
	return h.kept
}

// NewPairer returns a Pairer for the events whose IDs are the keys of sides.
func NewPairer(sides map[int]Side, opts Options) *Pairer {
	if opts.Order == nil {
		opts.Order = binary.LittleEndian
	}
	opts.MaxTasks = cmp.Or(opts.MaxTasks, 4096)
	opts.MaxDepth = cmp.Or(opts.MaxDepth, 256)
	p := &Pairer{opts: opts, tasks: make(map[int]*task), early: make(map[place]uint64)}
	p.know(sides)
	p.used.init()
	return p
}

// Add takes the next event, in order of time, and returns the call that it completes,
// if any. Next returns the other calls that the event shows to be over:
//
//	for c, ok := p.Add(e); ok; c, ok = p.Next() {
//
// Add copies entries into memory that it reuses. The Call and its events are valid
// until the next call of Add, Next or Rest. For events of an unknown ID only Lost
// matters.
func (p *Pairer) Add(e *tracefs.Event) (*Call, bool) {
	if e.Lost > 0 {
		p.gatherAll()
		p.abandonAll()
	}
	i := e.Format.ID - p.base
	if uint(i) >= uint(len(p.sides)) || !p.sides[i].known {
		return p.Next()
	}
	side := &p.sides[i].Side
	if side.Ends != nil {
		if tid, ok := side.Ends(e); ok {
			p.end(tid)
		}
		return p.Next()
	}
	switch {
	case p.parts:
		p.gather(e, side)
		return p.Next()
	case !side.Paired:
		return p.alone(e, side), true
	}
	if a := p.match(half{event: e}, side, p.stack(e, side)); a != nil {
		return p.hand(a), true
	}
	return p.Next()
}

// end gives up the calls of a task.
func (p *Pairer) end(task int) {
	if i := p.waiting(task); i >= 0 {
		p.gathered(i)
	}
	if t := p.tasks[task]; t != nil {
		p.abandon(t, 0)
		p.forget(t)
	}
}

// match takes the next half of a call, whose stack pointer is sp, and returns the
// activation that it completes, or nil if none is to be yielded at once. The result is
// valid until the next call of match.
func (p *Pairer) match(h half, side *Side, sp uint64) *activation {
	switch {
	case !side.Paired && side.Return:
		p.matched = activation{ret: h, plan: side.Plan, alone: true}
		return &p.matched
	case !side.Paired:
		p.matched = activation{entry: h, plan: side.Plan, alone: true}
		return &p.matched
	case !side.Return:
		p.enter(h, side, sp)
		return nil
	}
	en := p.leave(h.event, side, sp)
	p.matched = activation{ret: h, plan: side.Plan}
	if en == nil {
		p.tally.Orphans++
		if side.Filtered || p.opts.Chain > 0 {
			p.free(h.kept)
			return nil
		}
		p.matched.early = p.isEarly(place{key(h.event), side.Plan}, sp)
		return &p.matched
	}
	p.matched.entry = half{&en.event, en}
	if !p.opts.Begin {
		return &p.matched
	}
	if en.id == 0 { // its beginning was not yielded
		p.free(en)
		p.free(h.kept)
	} else { // queue it after those that are ready
		p.ready = append(p.ready, p.matched)
	}
	return nil
}

// Next returns a queued call, usually one that is over although its return was not
// seen, as long as there are any.
func (p *Pairer) Next() (*Call, bool) {
	if len(p.ready) == 0 { // nearly always; the compiler can inline this
		return nil, false
	}
	return p.handReady(), true
}

func (p *Pairer) handReady() *Call {
	p.matched = p.ready[0]
	p.ready = slices.Delete(p.ready, 0, 1)
	return p.hand(&p.matched)
}

// Rest yields the calls that are still unfinished, in the order of their entries, and
// forgets them. Like Add, it reuses memory.
func (p *Pairer) Rest(yield func(*Call) bool) {
	p.gatherAll()
	p.abandonAll()
	rest := p.ready
	p.ready = nil
	for i := range rest {
		if !yield(p.hand(&rest[i])) {
			return
		}
	}
}

// abandonAll gives up all entries, in their order.
func (p *Pairer) abandonAll() {
	first := len(p.ready)
	for t := p.used.oldest(); t != nil; t = p.used.oldest() {
		p.abandon(t, 0)
		p.forget(t)
	}
	if !p.opts.Begin {
		late := p.ready[first:]
		sort.SliceStable(late, func(i, j int) bool { return late[i].entry.event.Time < late[j].entry.event.Time })
	}
}

// Tally returns what could not be paired so far.
func (p *Pairer) Tally() Tally { return p.tally }

// enter adds an entry to its task.
func (p *Pairer) enter(h half, side *Side, sp uint64) {
	t := p.task(h.event)
	p.supersede(t, sp, side.Plan)
	if len(t.entries) >= p.opts.MaxDepth {
		p.tally.Evicted++
		p.giveUp(t.entries[0])
		t.entries = slices.Delete(t.entries, 0, 1)
	}
	if h.kept == nil {
		h.kept = p.keep(h.event, side, sp)
	}
	t.entries = append(t.entries, h.kept)
	if p.opts.Begin {
		p.begin(t)
	}
}

// leave removes from its task the entry that belongs to a return, whose first event is
// e, and returns it, or nil if there is none. It gives up the entries that e shows to
// be over.
func (p *Pairer) leave(e *tracefs.Event, side *Side, sp uint64) *entry {
	i, t := -1, p.tasks[key(e)]
	if t != nil {
		i = t.find(sp, side.Plan, p.opts.Delta)
	}
	if i < 0 {
		if from := p.former(e, side, sp); from != nil {
			t = p.rename(from, t, e.TID)
			i = t.find(sp, side.Plan, p.opts.Delta)
		}
	}
	if t == nil {
		return nil
	}
	var en *entry
	if i >= 0 {
		en = t.entries[i]
		if above := t.above(i); above < len(t.entries) { // rare
			p.abandon(t, above)
		}
		t.entries = slices.Delete(t.entries, i, i+1)
	} else if sp > maxDelta {
		p.abandon(t, t.dead(sp-maxDelta))
	}
	if len(t.entries) == 0 {
		p.forget(t)
	} else {
		p.used.touch(t)
	}
	return en
}

// hand makes a the current call.
func (p *Pairer) hand(a *activation) *Call {
	p.recycle()
	in, out := a.entry.event, a.ret.event
	p.call = Call{Plan: a.plan, Entry: in, Return: out, Begun: a.begun, Early: a.early}
	if !a.alone {
		p.call.Orphan, p.call.Unfinished = in == nil, out == nil && !a.begun
	}
	if en := a.entry.kept; en != nil {
		p.call.ID, p.call.Depth = en.id, en.depth
	}
	if p.parts {
		p.call.entries, p.call.returns = a.entry.parts(), a.ret.parts()
	}
	if in != nil && out != nil {
		p.call.Duration = max(out.Time, in.Time) - in.Time
	}
	if !a.begun {
		p.lent = [2]*entry{a.entry.kept, a.ret.kept} // an entry that has only begun is still needed
	}
	return &p.call
}

// alone makes e, the only event of a call, the current call. It does what match and
// hand do, in one step.
func (p *Pairer) alone(e *tracefs.Event, side *Side) *Call {
	p.recycle()
	p.call = Call{Plan: side.Plan}
	if side.Return {
		p.call.Return = e
	} else {
		p.call.Entry = e
	}
	if p.opts.Begin {
		if t := p.tasks[key(e)]; t != nil {
			p.call.Depth = t.open()
		}
	}
	return &p.call
}

// stack returns the stack pointer in a record, 0 if there is none.
func (p *Pairer) stack(e *tracefs.Event, side *Side) uint64 {
	if side.Stack < 0 || side.Stack+8 > len(e.Data) {
		return 0
	}
	return p.opts.Order.Uint64(e.Data[side.Stack:])
}

package trace

import (
	"iter"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// An observer learns of events and calls that are perhaps not shown, and why. Each of its
// functions may be nil.
type observer struct {
	event      func(*tracefs.Event)
	call       func(*calls.Call)                        // each, before it is matched
	elsewhere  func(*calls.Call)                        // it has begun on another CPU
	refused    func(c *calls.Call, held func([]uint64)) // conditions do not hold; held counts those that do
	unreturned func(c *calls.Call, shown, atEnd bool)   // its return was not seen
	shown      func()
}

// calls turns events into calls, until there are no more or the caller stops.
func (r *Reading) calls(events iter.Seq2[*tracefs.Event, error]) iter.Seq2[*calls.Call, error] {
	return func(yield func(*calls.Call, error) bool) {
		o := &r.observer
		at, atEnd := uint64(0), false // time of the event; there are no more
		hand := func(c *calls.Call) bool {
			if o.call != nil {
				o.call(c)
			}
			if !r.isWhole(c, at) {
				return true
			}
			// What is shown since it began was matched then.
			wanted := c.ID != 0 || r.matches(c)
			if c.Unfinished && o.unreturned != nil {
				o.unreturned(c, wanted, atEnd)
			}
			if !wanted {
				return true
			}
			if o.shown != nil {
				o.shown()
			}
			return yield(c, nil)
		}
		for event, err := range events {
			if err != nil {
				yield(nil, err)
				return
			}
			at = event.Time
			r.wall.pass(at, r.ClockSet)
			if event.Lost > 0 {
				r.lose(event)
			}
			event = r.amend.Event(event)
			if o.event != nil {
				o.event(event)
			}
			for _, pairer := range r.pairers {
				for c, ok := pairer.Add(event); ok; c, ok = pairer.Next() {
					if len(r.cpus) > 0 {
						r.leaves(c)
					}
					if !hand(c) {
						return
					}
				}
			}
		}
		more := true
		atEnd = true
		for _, pairer := range r.pairers {
			if more {
				pairer.Rest(func(c *calls.Call) bool {
					more = hand(c)
					return more
				})
			}
			if n := pairer.Tally(); n != (calls.Tally{}) {
				r.warner.Detailf("%d returns came without their entry, %d calls did not end", n.Orphans, n.Unfinished)
				if n.Partial > 0 {
					r.warner.Detailf("%d entries and returns came without all of their parts", n.Partial)
				}
			}
		}
	}
}

// isWhole reports whether nothing of a call went unseen because the trace was not whole.
// Half a call looks like something else: like a call that began before the trace, or did
// not end. What has begun to be shown is always shown to its end. The reader has come to
// time at.
func (r *Reading) isWhole(c *calls.Call, at uint64) bool {
	switch {
	case r.spans == nil || c.Begun:
		return true
	case c.Orphan: // it began before the trace was whole, unless its entry was lost
		plan := r.plans[c.Plan]
		return (r.gap || !c.Early && r.spans.always(plan)) && r.spans.begins(plan, c)
	case c.Unfinished && !r.begin:
		return !r.spans.cut(r.plans[c.Plan], c, at)
	}
	return true
}

// matches checks the conditions that the kernel could not check.
func (r *Reading) matches(c *calls.Call) bool {
	plan := r.plans[c.Plan]
	if !r.spans.begins(plan, c) {
		return false
	}
	if len(r.cpus) > 0 && !r.isHere(c, plan) {
		if r.observer.elsewhere != nil {
			r.observer.elsewhere(c)
		}
		return false
	}
	if (len(r.choice.Pids) > 0 || r.choice.Comm != "") && !r.chosen(c, plan) {
		return false
	}
	if !plan.Decides() {
		return true
	}
	r.decoders, r.records = r.decoders[:0], r.records[:0]
	for _, p := range plan.Probes {
		var data []byte
		if e := c.Event(p.Side == dynevent.Return, p.Part); e != nil {
			data = e.Data
		}
		r.decoders, r.records = append(r.decoders, r.decoder[p]), append(r.records, data)
	}
	ended := c.Entry != nil && c.Return != nil
	if plan.Match(r.decoders, r.records, c.Duration, ended) {
		return true
	}
	if r.observer.refused != nil {
		r.observer.refused(c, func(held []uint64) { plan.Held(held, r.decoders, r.records, c.Duration, ended) })
	}
	return false
}

// leaves removes the return of a call that ends on a CPU that is not asked for. isHere
// refuses a call of which nothing else was seen.
func (r *Reading) leaves(c *calls.Call) {
	if c.Entry != nil && c.Return != nil && !slices.Contains(r.cpus, c.Return.CPU) {
		c.Return, c.Duration, c.Unfinished = nil, 0, true
	}
}

// isHere reports whether a call has begun on one of the CPUs that are asked for.
func (r *Reading) isHere(c *calls.Call, plan *plan.Plan) bool {
	begin := c.Entry
	if plan.Entry() == nil {
		begin = c.Return
	}
	return begin != nil && slices.Contains(r.cpus, begin.CPU)
}

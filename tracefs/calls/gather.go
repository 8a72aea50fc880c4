package calls

import (
	"slices"

	"github.com/tsnoop/tsnoop/tracefs"
)

// maxGathering limits how many sides wait for parts. There is at most one for each CPU,
// unless the last parts of sides were missed.
const maxGathering = 256

// A part is a further event of a side.
type part struct {
	number int
	event  tracefs.Event
}

// gather collects the parts of sides and pairs the sides that are complete or over.
func (p *Pairer) gather(e *tracefs.Event, side *Side) {
	sp, i := p.stack(e, side), p.waiting(key(e))
	if i >= 0 && p.gathering[i].takes(e, side, sp) {
		g := p.gathering[i]
		g.add(e, side.Part, sp)
		if 1+len(g.parts) == side.Parts {
			p.gathered(i)
		}
		return
	}
	if i >= 0 {
		p.gathered(i)
	}
	if side.Parts <= 1 {
		p.queue(half{event: e}, side, sp)
		return
	}
	if len(p.gathering) >= maxGathering {
		p.gathered(0)
	}
	p.gathering = append(p.gathering, p.keep(e, side, sp))
}

// waiting returns the index in gathering of the side that waits for parts of task, or
// -1.
func (p *Pairer) waiting(task int) int {
	return slices.IndexFunc(p.gathering, func(g *entry) bool { return key(&g.event) == task })
}

// takes reports whether e, an event of the same task, is a further part of g.
func (g *entry) takes(e *tracefs.Event, side *Side, sp uint64) bool {
	same := g.plan == side.Plan && g.side.Return == side.Return && g.event.CPU == e.CPU &&
		(g.stack == sp || g.stack == 0 || sp == 0)
	return same && g.side.Part != side.Part &&
		!slices.ContainsFunc(g.parts, func(p part) bool { return p.number == side.Part })
}

func (g *entry) add(e *tracefs.Event, number int, sp uint64) {
	if n := len(g.parts); n < cap(g.parts) {
		g.parts = g.parts[:n+1] // reuses the memory of its event
	} else {
		g.parts = append(g.parts, part{})
	}
	last := &g.parts[len(g.parts)-1]
	last.number = number
	keepEvent(&last.event, e)
	if g.stack == 0 {
		g.stack = sp
	}
}

// gathered pairs the side at index i of gathering.
func (p *Pairer) gathered(i int) {
	g := p.gathering[i]
	p.gathering = slices.Delete(p.gathering, i, i+1)
	if 1+len(g.parts) < g.side.Parts {
		p.tally.Partial++
	}
	p.queue(half{&g.event, g}, g.side, g.stack)
}

// gatherAll pairs all waiting sides, with the parts that were seen.
func (p *Pairer) gatherAll() {
	for len(p.gathering) > 0 {
		p.gathered(0)
	}
}

// queue pairs a half and queues the call that results.
func (p *Pairer) queue(h half, side *Side, sp uint64) {
	if a := p.match(h, side, sp); a != nil {
		p.ready = append(p.ready, *a)
	}
}

// part returns the event of part n, nil if it was not seen.
func (g *entry) part(n int) *tracefs.Event {
	if g.side.Part == n {
		return &g.event
	}
	for i := range g.parts {
		if g.parts[i].number == n {
			return &g.parts[i].event
		}
	}
	return nil
}

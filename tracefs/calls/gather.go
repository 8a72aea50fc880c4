package calls

import (
	"slices"

	"github.com/tsnoop/tsnoop/tracefs"
)

// maxGathering bounds how many sides wait for parts. There is one for each CPU,
// unless last parts were missed.
const maxGathering = 256

// A part is one more event of a side.
type part struct {
	number int
	event  tracefs.Event
}

// gather collects the parts of sides and pairs those sides that are then over.
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

// waiting is the index of the side of a task that waits for parts, -1 if none does.
func (p *Pairer) waiting(task int) int {
	return slices.IndexFunc(p.gathering, func(g *entry) bool { return key(&g.event) == task })
}

// takes tells whether an event of the same task is one more part of g.
func (g *entry) takes(e *tracefs.Event, side *Side, sp uint64) bool {
	same := g.plan == side.Plan && g.side.Return == side.Return && g.event.CPU == e.CPU &&
		(g.stack == sp || g.stack == 0 || sp == 0)
	return same && g.side.Part != side.Part &&
		!slices.ContainsFunc(g.parts, func(p part) bool { return p.number == side.Part })
}

func (g *entry) add(e *tracefs.Event, number int, sp uint64) {
	if n := len(g.parts); n < cap(g.parts) {
		g.parts = g.parts[:n+1] // with the memory of its event
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

// gathered pairs the side that waits as the i-th.
func (p *Pairer) gathered(i int) {
	g := p.gathering[i]
	p.gathering = slices.Delete(p.gathering, i, i+1)
	if 1+len(g.parts) < g.side.Parts {
		p.tally.Partial++
	}
	p.queue(half{kept: g}, g.side, g.stack)
}

// gatherAll pairs all that waits, as far as it was seen.
func (p *Pairer) gatherAll() {
	for len(p.gathering) > 0 {
		p.gathered(0)
	}
}

// queue pairs a half and lets what comes of it wait its turn.
func (p *Pairer) queue(h half, side *Side, sp uint64) {
	if a := p.match(h, side, sp); a != nil {
		p.ready = append(p.ready, *a)
	}
}

// part is the event that has a part, nil if it was not seen.
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

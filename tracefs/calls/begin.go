package calls

import "slices"

// begin yields, as begun, what the latest entry of a task makes known: the call itself,
// or the chain that it completes.
func (p *Pairer) begin(t *task) {
	e := t.entries[len(t.entries)-1]
	if p.opts.Accept != nil {
		p.call = Call{Plan: e.plan, Entry: &e.event, entries: half{&e.event, e}.parts(), Begun: true}
		e.refused = !p.opts.Accept(&p.call)
	}
	switch {
	case e.refused:
	case p.opts.Chain == nil:
		p.open(t, e)
	case e.plan == len(p.opts.Chain)-1:
		p.link(t)
	}
}

// open yields e as begun, unless it has been already.
func (p *Pairer) open(t *task, e *entry) {
	if e.id != 0 {
		return
	}
	for _, below := range t.entries {
		if below == e {
			break
		}
		if below.id != 0 {
			e.depth++
		}
	}
	p.begun++
	e.id = p.begun
	p.ready = append(p.ready, activation{entry: half{&e.event, e}, plan: e.plan, begun: true})
}

// link searches back from the latest entry, the last of the chain, for the entries that
// led to it; of several calls of one function it takes the innermost. The entries are
// in the order of the calls, since those that have returned are no longer among them.
func (p *Pairer) link(t *task) {
	chain := p.opts.Chain
	p.links = p.links[:0]
	var above *entry
	for _, e := range slices.Backward(t.entries) {
		if e.plan != len(chain)-1-len(p.links) || e.refused {
			continue
		}
		// Two plans for one function see the same call, which does not lead to itself.
		if above != nil && e.stack == above.stack && e.stack != 0 && chain[e.plan] == chain[above.plan] {
			continue
		}
		p.links = append(p.links, e)
		if above = e; e.plan == 0 {
			break
		}
	}
	if len(p.links) < len(chain) {
		return
	}
	for _, e := range slices.Backward(p.links) {
		p.open(t, e)
	}
}

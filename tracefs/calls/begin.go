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
	if e.refused {
		return
	}
	if p.opts.Chain == 0 {
		p.open(t, e)
	} else if e.plan == p.opts.Chain-1 {
		p.link(t)
	}
}

// open yields e as begun, unless it has been already.
func (p *Pairer) open(t *task, e *entry) {
	if e.id != 0 {
		return
	}
	e.depth = t.depth(e)
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
	at := 0 // index of above
	for i, e := range slices.Backward(t.entries) {
		if e.plan != chain-1-len(p.links) || e.refused {
			continue
		}
		// Two plans for one function see the same call, which does not lead to itself.
		if above != nil && t.node(i) == t.node(at) {
			continue
		}
		at = i
		p.links = append(p.links, e)
		if above = e; e.plan == 0 {
			break
		}
	}
	if len(p.links) < chain {
		return
	}
	for _, e := range slices.Backward(p.links) {
		if !t.shows(e) {
			p.open(t, e)
		}
	}
}

// A node is one call, of which several plans may have an entry. node returns the index of
// the first entry of the node of entry i. All probes of a place run one after the other,
// so the entries of a node follow one another.
func (t *task) node(i int) int {
	first, e := i, t.entries[i]
	for j := i - 1; j >= 0; j-- {
		b := t.entries[j]
		if b.fn == "" || b.fn != e.fn || b.stack != e.stack {
			break
		}
		if e.stack == 0 && slices.ContainsFunc(t.entries[j+1:i+1], func(o *entry) bool { return o.plan == b.plan }) {
			break // a plan has one entry of a call
		}
		first = j
	}
	return first
}

// depth returns how many calls that were yielded led to e.
func (t *task) depth(e *entry) (depth int) { return t.yielded(t.node(slices.Index(t.entries, e))) }

// open returns how many calls that were yielded have not returned.
func (t *task) open() int { return t.yielded(len(t.entries)) }

// yielded returns how many calls of the first n entries were yielded.
func (t *task) yielded(n int) (depth int) {
	last := -1 // node of the latest of them
	for i, below := range t.entries[:n] {
		if n := t.node(i); below.id != 0 && n != last {
			depth, last = depth+1, n
		}
	}
	return depth
}

// shows reports whether the call of e was yielded by another plan with the same spec: a
// chain shows a call once, even if it leads to one call and was led to by another.
func (t *task) shows(e *entry) bool {
	own := slices.Index(t.entries, e)
	for i, other := range t.entries[t.node(own):] {
		if i += t.node(own); t.node(i) != t.node(own) {
			break
		}
		if other != e && other.id != 0 && other.spec == e.spec {
			return true
		}
	}
	return false
}

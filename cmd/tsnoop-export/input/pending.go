package input

import (
	"slices"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
)

// mostPending is how many bytes the calls may take that have begun and not ended.
const mostPending = 32 << 20

// A pending keeps the first parts of calls that are delivered in two (--tree, --chain). Those that
// have no room are delivered as they are, the oldest first.
type pending struct {
	begun map[uint64]*call.Call
	order []uint64 // of all that have begun since the oldest that is kept
	size  int
}

// add keeps the first part of a call.
func (p *pending) add(id uint64, c *call.Call, deliver func(*call.Call) error) error {
	if p.begun == nil {
		p.begun = map[uint64]*call.Call{}
	}
	if p.drop(id) == nil {
		p.order = append(p.order, id)
	}
	p.begun[id] = c
	p.size += c.Size()
	if len(p.order) > 4*len(p.begun)+1000 {
		p.forget()
	}
	for p.size > mostPending {
		oldest := p.drop(p.order[0])
		p.order = p.order[1:]
		if oldest != nil {
			if err := deliver(oldest); err != nil {
				return err
			}
		}
	}
	return nil
}

// forget removes those from the order that have ended.
func (p *pending) forget() {
	seen := make(map[uint64]bool, len(p.begun))
	p.order = slices.DeleteFunc(p.order, func(id uint64) bool {
		gone := p.begun[id] == nil || seen[id]
		seen[id] = true
		return gone
	})
}

// drop takes out the first part of a call, nil if there is none.
func (p *pending) drop(id uint64) *call.Call {
	c := p.begun[id]
	if c != nil {
		delete(p.begun, id)
		p.size -= c.Size()
	}
	return c
}

// join adds the first part of a call to its second one.
func (p *pending) join(id uint64, c *call.Call) {
	first := p.drop(id)
	if first == nil {
		return
	}
	c.Args, c.Stack = first.Args, first.Stack
	c.Faults = append(first.Faults, c.Faults...)
	if c.Caller == "" {
		c.Caller, c.CallerModule = first.Caller, first.CallerModule
	}
}

// rest delivers the calls of which there is no second part.
func (p *pending) rest(deliver func(*call.Call) error) error {
	for _, id := range p.order {
		if c := p.drop(id); c != nil {
			if err := deliver(c); err != nil {
				return err
			}
		}
	}
	p.order = nil
	return nil
}

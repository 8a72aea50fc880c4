package trace

import (
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
)

// mostClocks is the maximum number of running clocks. If there are more, the one that was
// started first is dropped.
const mostClocks = 1 << 17

// clocks measures the time since the call that has started the clock of a key, and writes
// it into the records. See fetchargs.Clock.
//
// If the call that stops a clock is not seen, and the key is reused, the clock would show
// a wrong time. So all clocks are dropped when events are lost, and none is started if some
// calls are not traced at all.
type clocks struct {
	warner
	gap    *atomic.Bool       // set by others when calls may have been missed; may be nil
	blind  bool               // calls that start or stop clocks may not be traced
	of     map[int][]keeping  // by the ID of the format
	number int32              // of the last of these
	begun  map[clockKey]int32 // indexes into all
	all    []started
	free   int32 // first unused element of all, linked by next; -1 for none
	oldest int32 // first running clock, linked by next; -1 for none
	newest int32 // last running clock, linked by prev
	most   int
	told   bool // that clocks were dropped
}

// A keeping is a clock of the records of one format.
type keeping struct {
	clock   *fetchargs.Clock
	probe   *fetchargs.Probe
	decoder *value.Decoder
	offset  int // of the time in the record
	number  int32
}

// A clockKey is a key and the number of its clock.
type clockKey struct {
	number int32
	key    uint64
}

// A started is a running clock.
type started struct {
	clockKey
	time       uint64 // ns on the trace clock
	prev, next int32
}

// learn adds the clocks of a probe.
func (c *clocks) learn(l learned) {
	plan := l.probe.Plan
	if len(plan.Clocks()) == 0 || l.probe != plan.Entry() {
		return
	}
	if c.of == nil {
		*c = clocks{warner: c.warner, blind: c.blind, gap: c.gap, of: map[int][]keeping{}, begun: map[clockKey]int32{}, free: -1, oldest: -1, newest: -1, most: mostClocks}
	}
	for i := range plan.Clocks() {
		clock := &plan.Clocks()[i]
		at := l.format.Field(l.probe.Args[clock.Arg(l.probe)].Name)
		if at == nil || at.Size != 8 {
			continue
		}
		c.number++
		c.of[l.format.ID] = append(c.of[l.format.ID], keeping{clock, l.probe, l.decoder, at.Offset, c.number})
	}
}

// see sets whether all calls of the plans are traced, and warns if not.
func (c *clocks) see(w warner, all bool) {
	c.warner, c.blind = w, !all
	if c.any() && c.blind {
		c.warn("since(...) is not known, because not all tasks and CPUs are traced: calls that start or end it may be missing")
	}
}

// allCalls reports whether no plan chooses calls by the name of the task.
func allCalls(plans []*fetchargs.Plan) bool {
	return !slices.ContainsFunc(fetchargs.Probes(plans), (*fetchargs.Probe).ChoosesComm)
}

// any reports whether there are clocks.
func (c *clocks) any() bool { return c.of != nil }

// put writes the times of the clocks into the record of an event.
func (c *clocks) put(e *tracefs.Event, order binary.ByteOrder) {
	if e.Lost > 0 || e.Losing || c.gap != nil && c.gap.Load() && c.gap.Swap(false) {
		c.forget()
	}
	for i := range c.of[e.Format.ID] {
		k := &c.of[e.Format.ID][i]
		if k.offset < 0 || k.offset+8 > len(e.Data) {
			continue
		}
		age := int64(value.NoAge)
		if key, ok := k.clock.Key(k.decoder, e.Data); ok && !c.blind {
			id := clockKey{k.number, key}
			n, runs := c.begun[id]
			if runs && c.all[n].time <= e.Time {
				age = int64(e.Time - c.all[n].time)
			}
			if runs && k.clock.Ends(k.probe, k.decoder, e.Data) {
				c.end(n)
				runs = false
			}
			if k.clock.Starts(k.probe, k.decoder, e.Data) {
				if runs {
					c.end(n)
				}
				c.start(id, e.Time)
			}
		}
		order.PutUint64(e.Data[k.offset:], uint64(age))
	}
}

// start starts a clock that is not running.
func (c *clocks) start(id clockKey, time uint64) {
	if len(c.begun) >= c.most {
		if !c.told {
			c.told = true
			c.warn("since(...) keeps the times of %d keys: the oldest are given up", c.most)
		}
		c.end(c.oldest)
	}
	n := c.free
	if n < 0 {
		n = int32(len(c.all))
		c.all = append(c.all, started{})
	} else {
		c.free = c.all[n].next
	}
	c.all[n] = started{clockKey: id, time: time, prev: c.newest, next: -1}
	if c.newest >= 0 {
		c.all[c.newest].next = n
	} else {
		c.oldest = n
	}
	c.newest = n
	c.begun[id] = n
}

// end stops the clock at an index of c.all.
func (c *clocks) end(n int32) {
	s := &c.all[n]
	delete(c.begun, s.clockKey)
	if s.prev >= 0 {
		c.all[s.prev].next = s.next
	} else {
		c.oldest = s.next
	}
	if s.next >= 0 {
		c.all[s.next].prev = s.prev
	} else {
		c.newest = s.prev
	}
	s.next, c.free = c.free, n
}

// forget stops all clocks.
func (c *clocks) forget() {
	if len(c.begun) == 0 {
		return
	}
	clear(c.begun)
	c.all, c.free, c.oldest, c.newest = c.all[:0], -1, -1, -1
}

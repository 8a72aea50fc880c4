package amend

import (
	"encoding/binary"
	"strings"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
)

// mostClocks is the maximum number of running clocks. If there are more, the one that was
// started first is dropped.
const mostClocks = 1 << 17

// clocks measures the time since the call that has started the clock of a key, remembers
// who made that call, and writes what is asked for into the records. See plan.Clock.
//
// If the call that stops a clock is not seen, and the key is reused, the clock would show
// a wrong time. So all clocks are dropped when events are lost, and none is started if some
// calls are not traced at all.
type clocks struct {
	warner   tracefs.Warner
	gap      *atomic.Bool       // set by others when calls may have been missed; may be nil
	blind    bool               // calls that start or stop clocks may not be traced
	of       map[int][]keeping  // by the ID of the format
	number   int32              // of the last of these
	named    map[string]int32   // numbers of the clocks that several plans have
	begun    map[clockKey]int32 // indexes into all
	all      []started
	free     int32 // first unused element of all, linked by next; -1 for none
	oldest   int32 // first running clock, linked by next; -1 for none
	newest   int32 // last running clock, linked by prev
	most     int
	reported bool   // that clocks were dropped
	words    string // of the spec, for warnings
}

// A keeping is a clock of the records of one format.
type keeping struct {
	clock   *plan.Clock
	probe   *plan.Probe
	decoder *value.Decoder
	offset  int // of the time or the task in the record
	size    int // of that, in bytes; 0 for a clock of other records, which this one starts
	who     bool
	number  int32

	key   clockKey // of the event that is looked at
	known bool     // its key could be read
}

// A clockKey is a key and the number of its clock.
type clockKey struct {
	number int32
	key    [plan.MaxKeys]uint64
}

// A started is a running clock.
type started struct {
	clockKey
	time       uint64 // ns on the trace clock
	name       value.TaskName
	tid        int
	prev, next int32
}

// learn adds the clocks of a probe.
func (c *clocks) learn(l Layout) {
	plan := l.Probe.Plan
	if len(plan.Clocks) == 0 || l.Probe != plan.Entry() {
		return
	}
	if c.of == nil {
		*c = clocks{warner: c.warner, blind: c.blind, gap: c.gap, of: map[int][]keeping{}, named: map[string]int32{}, begun: map[clockKey]int32{}, free: -1, oldest: -1, newest: -1, most: mostClocks}
	}
	for i := range plan.Clocks {
		clock := &plan.Clocks[i]
		if plan.Starts != "" {
			c.of[l.Format.ID] = append(c.of[l.Format.ID], keeping{clock: clock, probe: l.Probe, decoder: l.Decoder, number: c.numberOf(clock)})
			continue
		}
		at := l.Format.Field(l.Probe.Args[clock.Arg(l.Probe)].Name)
		if clock.InHead(l.Probe) {
			at = &tracefs.FormatField{Size: 8}
		}
		who, size, word := clock.Who(l.Probe), 8, "since(...)"
		if who {
			size, word = value.TaskSize, "who(...)"
		}
		if at == nil || at.Size != size {
			continue
		}
		if !strings.Contains(c.words, word) {
			c.words = strings.TrimPrefix(c.words+" and "+word, " and ")
		}
		c.of[l.Format.ID] = append(c.of[l.Format.ID], keeping{clock: clock, probe: l.Probe, decoder: l.Decoder, offset: at.Offset, size: size, who: who, number: c.numberOf(clock)})
	}
}

// numberOf returns the number of a clock.
func (c *clocks) numberOf(clock *plan.Clock) int32 {
	if n := c.named[clock.Name]; n > 0 {
		return n
	}
	if c.number++; clock.Name != "" {
		c.named[clock.Name] = c.number
	}
	return c.number
}

// see sets whether all calls of the plans are traced, and warns if not.
func (c *clocks) see(w tracefs.Warner, all bool) {
	c.warner, c.blind = w, !all
	if c.any() && c.blind {
		is := "is"
		if strings.Contains(c.words, " and ") {
			is = "are"
		}
		c.warner.Warnf("%s %s not known, because not all tasks and CPUs are traced: calls that start or end it may be missing", c.words, is)
	}
}

// any reports whether there are clocks.
func (c *clocks) any() bool { return c.of != nil }

// put writes what the clocks show into the record of an event.
func (c *clocks) put(e *tracefs.Event, order binary.ByteOrder) {
	if e.Lost > 0 || e.Losing || c.gap != nil && c.gap.Load() && c.gap.Swap(false) {
		c.forget()
	}
	all := c.of[e.Format.ID]
	for i := range all { // all is shown before anything ends: two may show the same clock
		k := &all[i]
		if k.known = k.offset >= 0 && k.offset+k.size <= len(e.Data); !k.known {
			continue
		}
		if k.size > 0 {
			k.putNothing(e, order)
		}
		key, ok := k.clock.Key(k.decoder, e.Data)
		k.key, k.known = clockKey{k.number, key}, ok && !c.blind
		if n, runs := c.begun[k.key]; runs && k.known && c.all[n].time <= e.Time && k.size > 0 {
			k.put(e, order, &c.all[n])
		}
	}
	for i := range all {
		if k := &all[i]; k.known {
			c.turn(k, e)
		}
	}
}

// turn ends the clock of the key of k, and starts it again, if e does.
func (c *clocks) turn(k *keeping, e *tracefs.Event) {
	n, runs := c.begun[k.key]
	starts := k.clock.Starts(k.probe, k.decoder, e.Data)
	if runs && (starts || k.clock.Ends(k.probe, k.decoder, e.Data)) {
		c.end(n)
	}
	if starts {
		c.start(k.key, e, k)
	}
}

// put writes what the clock s shows into the record of e.
func (k *keeping) put(e *tracefs.Event, order binary.ByteOrder, s *started) {
	if b := e.Data[k.offset:]; k.who {
		value.PutTask(b, order, s.name, s.tid)
	} else {
		order.PutUint64(b, e.Time-s.time)
	}
}

// putNothing writes into the record of e that no clock runs.
func (k *keeping) putNothing(e *tracefs.Event, order binary.ByteOrder) {
	if b := e.Data[k.offset:]; k.who {
		value.PutNoTask(b, order)
	} else {
		noAge := int64(value.NoAge)
		order.PutUint64(b, uint64(noAge))
	}
}

// comm returns the name of the task of e.
func (k *keeping) comm(e *tracefs.Event) []byte {
	if k.probe.Comm >= 0 {
		if name := k.decoder.Text(k.probe.Comm, e.Data); name != nil {
			return name
		}
	}
	return e.Comm
}

// start starts a clock that is not running.
func (c *clocks) start(id clockKey, e *tracefs.Event, k *keeping) {
	if len(c.begun) >= c.most {
		if !c.reported {
			c.reported = true
			c.warner.Warnf("%s can keep %d keys: the oldest are given up", c.words, c.most)
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
	s := &c.all[n]
	*s = started{clockKey: id, time: e.Time, tid: e.TID, prev: c.newest, next: -1}
	if k.who || k.size == 0 {
		s.name = value.NameOf(k.comm(e))
	}
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

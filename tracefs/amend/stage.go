// Package amend writes into the records of a trace what the kernel could not: text that is
// too long for a record, how old a time is, and what is known since another call. It is a
// stage between the reader of events and their pairing.
package amend

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
)

// A Stage amends events, one after the other in the order of their times. It needs to
// Learn of each probe before the first of its events.
type Stage struct {
	order   binary.ByteOrder
	layouts map[*plan.Probe]Layout

	spares   spares
	ages     ages
	clocks   clocks
	computes bool // some records have values of ages or clocks
}

// A Layout is how the records of a probe are laid out.
type Layout struct {
	Probe   *plan.Probe
	Format  *tracefs.Format
	Decoder *value.Decoder
}

// Times says what the times of the events are. With the zero value there are no ages.
type Times struct {
	Clock  string // trace clock, "mono" or "boot"; with any other there are no ages
	Live   bool   // the events are from this host, so its clocks can be read
	Coarse bool   // event times are only precise to 1 µs
	Leads  Leads  // of a recording
}

// New returns a Stage for events with data of this byte order.
func New(order binary.ByteOrder, t Times) *Stage {
	return &Stage{
		order: order, layouts: map[*plan.Probe]Layout{},
		ages: ages{clock: t.Clock, live: t.Live, coarse: t.Coarse, leads: t.Leads},
	}
}

// Learn notes how the records of a probe are laid out.
func (st *Stage) Learn(l Layout) {
	st.layouts[l.Probe] = l
	st.LearnSpare(l.Probe)
	st.ages.learn(l)
	st.clocks.learn(l)
	st.computes = st.ages.any() || st.clocks.any()
}

// See sets whether all calls of the plans are traced, and warns if some values are not known
// because of that. gap is set by others when calls may have been missed; it may be nil.
func (st *Stage) See(w tracefs.Warner, all bool, gap *atomic.Bool) {
	st.clocks.gap = gap
	st.clocks.see(w, all)
}

// HasAges reports whether some events have a time whose age is shown.
func (st *Stage) HasAges() bool { return st.ages.any() }

// HasClocks reports whether some events show what is known since another call.
func (st *Stage) HasClocks() bool { return st.clocks.any() }

// LookAtClocks reads how far the clocks of this host are apart, if ages need that, and
// returns what is known of it.
func (st *Stage) LookAtClocks() Leads {
	if st.ages.any() {
		st.ages.look()
	}
	return st.ages.leads
}

// Event returns e with what the kernel could not write into its record. The event is valid
// until the next one.
func (st *Stage) Event(e *tracefs.Event) *tracefs.Event {
	if st.spares.of != nil {
		e = st.spared(e)
	}
	if st.computes {
		st.ages.put(e, st.order)
		if st.clocks.any() {
			st.clocks.put(e, st.order)
		}
	}
	return e
}

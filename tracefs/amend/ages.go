package amend

import (
	"encoding/binary"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"golang.org/x/sys/unix"
)

// ages replaces the timestamps that the kernel stored in records with ages: how long
// before the event each of them was, in ns.
type ages struct {
	clock  string // as in Times, like those that follow
	live   bool
	coarse bool
	leads  Leads
	stamps map[int][]stamp

	looked    uint64 // when the clocks were last read, in ns on the trace clock
	low, high int64  // bounds of the last lead, in ns
}

// A stamp says where a record holds a timestamp.
type stamp struct {
	// bytes from the start of the record
	offset int
	boot   bool // on CLOCK_BOOTTIME rather than CLOCK_MONOTONIC
}

// A Lead is how far CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC: the time that the
// machine has slept.
type Lead struct {
	From uint64 // ns on the trace clock
	Ns   int64
}

// Leads holds the leads of a trace, earliest first. If it is empty the lead is 0.
type Leads []Lead

// at returns the lead at a time on the trace clock, in ns.
func (all Leads) at(time uint64) int64 {
	for _, l := range slices.Backward(all) {
		if l.From <= time {
			return l.Ns
		}
	}
	return 0
}

// learn notes where the records of a probe hold timestamps.
func (a *ages) learn(l Layout) {
	for i := range l.Probe.Fields {
		f := &l.Probe.Fields[i]
		if f.Encoding != value.Age || f.Clock {
			continue
		}
		at := l.Format.Field(l.Probe.Args[f.Arg].Name)
		if at == nil || at.Size != 8 || slices.ContainsFunc(a.stamps[l.Format.ID], func(s stamp) bool { return s.offset == at.Offset }) {
			continue
		}
		if a.stamps == nil {
			a.stamps = map[int][]stamp{}
		}
		a.stamps[l.Format.ID] = append(a.stamps[l.Format.ID], stamp{at.Offset, f.Boot})
	}
}

// any reports whether any event has a timestamp to replace.
func (a *ages) any() bool { return len(a.stamps) > 0 }

// known reports whether the kernel's timestamps can be compared with the event times.
func (a *ages) known() bool { return a.clock == "mono" || a.clock == "boot" }

// put replaces the timestamps in the record of e with ages.
func (a *ages) put(e *tracefs.Event, order binary.ByteOrder) {
	for _, s := range a.stamps[e.Format.ID] {
		if s.offset < 0 || s.offset+8 > len(e.Data) {
			continue
		}
		b := e.Data[s.offset : s.offset+8]
		age := int64(value.NoAge)
		if then := order.Uint64(b); then != 0 && a.known() {
			age = a.now(e.Time, s.boot) - int64(then)
			if a.coarse && -1000 < age && age < 0 {
				age = 0
			}
		}
		order.PutUint64(b, uint64(age))
	}
}

// now converts the time of an event to CLOCK_BOOTTIME (boot) or CLOCK_MONOTONIC, in ns.
func (a *ages) now(time uint64, boot bool) int64 {
	if boot == (a.clock == "boot") {
		return int64(time)
	}
	if a.live && time > a.looked {
		a.look()
	}
	if boot {
		return int64(time) + a.leads.at(time)
	}
	return int64(time) - a.leads.at(time)
}

// look reads the clocks. The machine may have slept since the last look; events since
// then are taken to be later than the sleep.
func (a *ages) look() {
	const tries, narrow = 5, 1000 // ns
	low, high := a.measure()
	for range tries {
		if high-low <= narrow {
			break
		}
		if l, h := a.measure(); h-l < high-low {
			low, high = l, h
		}
	}
	since := a.looked
	a.looked = proc.ClockTime(unix.CLOCK_MONOTONIC)
	if a.clock == "boot" {
		a.looked = proc.ClockTime(unix.CLOCK_BOOTTIME)
	}
	a.leads, a.low, a.high = a.leads.measured(since, a.low, a.high, low, high)
}

// measured records that the lead was measured to be between low and high. wasLow and
// wasHigh are the bounds of the last lead, which was measured before since.
func (all Leads) measured(since uint64, wasLow, wasHigh, low, high int64) (_ Leads, newLow, newHigh int64) {
	if n := len(all); n > 0 && low <= wasHigh && wasLow <= high {
		low, high = max(low, wasLow), min(high, wasHigh)
		if last := &all[n-1]; last.Ns < low || last.Ns > high {
			last.Ns = low + (high-low)/2
		}
		return all, low, high
	}
	l := Lead{since, low + (high-low)/2}
	if low <= 0 && 0 <= high {
		l.Ns = 0 // it has never slept
	}
	return append(all, l), low, high
}

// measure reads the clocks and returns bounds of the current lead, in ns.
func (a *ages) measure() (low, high int64) {
	before := proc.ClockTime(unix.CLOCK_MONOTONIC)
	boot := proc.ClockTime(unix.CLOCK_BOOTTIME)
	after := proc.ClockTime(unix.CLOCK_MONOTONIC)
	return int64(boot - after), int64(boot - before)
}

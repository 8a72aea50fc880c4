package trace

import (
	"encoding/binary"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"golang.org/x/sys/unix"
)

// ages puts ages into the records, in place of the times that the kernel has kept: how
// long ago that was when the event came.
type ages struct {
	clock  string // of the events' times, "mono" or "boot"; if it is another there are no ages
	live   bool   // the events are of this machine, whose clocks can be read
	coarse bool   // the events' times are of µs
	stamps map[int][]stamp
	leads  leads

	looked    uint64 // when the clocks were read last, in ns on the trace clock
	low, high int64  // the last lead is not outside of these
}

// A stamp is where the records of an event have a time.
type stamp struct {
	offset int
	boot   bool // it is on CLOCK_BOOTTIME, not on CLOCK_MONOTONIC
}

// A lead is how many ns CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC, for the machine has
// slept so long.
type lead struct {
	From uint64 // ns on the trace clock
	Ns   int64
}

// leads are those of a trace, the earliest first. Without any there is none.
type leads []lead

func (all leads) at(time uint64) int64 {
	for _, l := range slices.Backward(all) {
		if l.From <= time {
			return l.Ns
		}
	}
	return 0
}

// learn takes in where the records of a probe have times.
func (a *ages) learn(l learned) {
	for i := range l.probe.Fields {
		f := &l.probe.Fields[i]
		if f.Encoding != value.Age {
			continue
		}
		at := l.format.Field(l.probe.Args[f.Arg].Name)
		if at == nil || at.Size != 8 || slices.ContainsFunc(a.stamps[l.format.ID], func(s stamp) bool { return s.offset == at.Offset }) {
			continue
		}
		if a.stamps == nil {
			a.stamps = map[int][]stamp{}
		}
		a.stamps[l.format.ID] = append(a.stamps[l.format.ID], stamp{at.Offset, f.Boot})
	}
}

// any tells whether there is something to do.
func (a *ages) any() bool { return len(a.stamps) > 0 }

// known tells whether times of the kernel can be compared with those of the events.
func (a *ages) known() bool { return a.clock == "mono" || a.clock == "boot" }

// put puts the ages into the record of an event.
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

// now is the time of an event on CLOCK_BOOTTIME or CLOCK_MONOTONIC, in ns.
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

// look reads the clocks. Between two looks the machine may have slept; the events since
// the one before are taken for later than that.
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
	a.looked = clockTime(unix.CLOCK_MONOTONIC)
	if a.clock == "boot" {
		a.looked = clockTime(unix.CLOCK_BOOTTIME)
	}
	a.leads, a.low, a.high = a.leads.measured(since, a.low, a.high, low, high)
}

// measured takes in that the lead is between low and high. wasLow and wasHigh is what was
// measured of it before since.
func (all leads) measured(since uint64, wasLow, wasHigh, low, high int64) (_ leads, newLow, newHigh int64) {
	if n := len(all); n > 0 && low <= wasHigh && wasLow <= high {
		low, high = max(low, wasLow), min(high, wasHigh)
		if last := &all[n-1]; last.Ns < low || last.Ns > high {
			last.Ns = low + (high-low)/2
		}
		return all, low, high
	}
	l := lead{since, low + (high-low)/2}
	if low <= 0 && 0 <= high {
		l.Ns = 0 // it has never slept
	}
	return append(all, l), low, high
}

// measure is between what the lead is now.
func (a *ages) measure() (low, high int64) {
	before := clockTime(unix.CLOCK_MONOTONIC)
	boot := clockTime(unix.CLOCK_BOOTTIME)
	after := clockTime(unix.CLOCK_MONOTONIC)
	return int64(boot - after), int64(boot - before)
}

// clockTime is the time on a clock, in ns.
func clockTime(id int32) uint64 {
	var ts unix.Timespec
	if unix.ClockGettime(id, &ts) != nil {
		return 0
	}
	return uint64(ts.Nano())
}

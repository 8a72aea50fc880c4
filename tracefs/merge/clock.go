package merge

import (
	"cmp"
	"math"
	"slices"

	"github.com/tsnoop/tsnoop/tracefs"
)

// A Clock is what a recording says of its clock.
type Clock struct {
	// Drift is by how much the clock of the host moved against the trace clock from the start of
	// the recording to its end, in ns: it was set, or the two do not run equally fast. It is nil
	// if the file does not have both ends.
	Drift *int64
	// MaxError is how far the clock of the host may have been off, in ns, as the kernel said when
	// it was read; nil if that is not known. Synced says that the kernel took it for synchronized.
	MaxError *int64
	Synced   bool

	With *Recording // an earlier one on the same trace clock, with the same offset; nil if there is none
}

// A clock is a trace clock of one boot of a host. A recording that does not say of which boot it is
// has one of its own.
type clock struct {
	boot       string // "" if it is not known
	recordings []*Recording
	best       *tracefs.Moment // at which the clock of the host was most reliable; nil if none is known
}

// clockOf returns the clock of a recording.
func (t *Timeline) clockOf(r *Recording) *clock {
	boot := ""
	if r.Origin.BootID != "" {
		boot = r.Origin.MachineID + "\x00" + r.Origin.BootID + "\x00" + r.Origin.Clock
		for _, c := range t.clocks {
			if c.boot == boot {
				return c
			}
		}
	}
	c := &clock{boot: boot}
	t.clocks = append(t.clocks, c)
	return c
}

// align finds the shift of each recording.
func (t *Timeline) align() {
	for _, r := range t.Recordings {
		c := t.clockOf(r)
		r.clock = c
		for _, m := range []*tracefs.Moment{r.Origin.Began, r.Origin.Ended} {
			if m != nil && (c.best == nil || better(m, c.best)) {
				c.best = m
			}
		}
		if i := slices.IndexFunc(c.recordings, func(o *Recording) bool { return o.Offset == r.Offset }); i >= 0 {
			r.Clock.With = c.recordings[i]
		}
		c.recordings = append(c.recordings, r)
		if b, e := r.Origin.Began, r.Origin.Ended; b != nil && e != nil {
			drift := wallOf(e) - wallOf(b)
			r.Clock.Drift = &drift
		}
	}
	t.shift()
}

// wallOf returns what to add to the trace clock to get the clock of the host.
func wallOf(m *tracefs.Moment) int64 { return m.Wall - int64(m.Trace) }

// better reports whether the clock of the host was more reliable at a. Otherwise the later moment is
// better: who sets a clock corrects it.
func better(a, b *tracefs.Moment) bool {
	if a.Synced != b.Synced {
		return a.Synced
	}
	most := func(m *tracefs.Moment) int64 {
		if m.MaxError == nil {
			return math.MaxInt64
		}
		return *m.MaxError
	}
	return cmp.Or(cmp.Compare(most(b), most(a)), cmp.Compare(a.Trace, b.Trace)) > 0
}

// shift sets the shifts. The time line is the trace clock of the recording that begins first. One
// that does not know the time of day begins with it.
func (t *Timeline) shift() {
	first := int64(math.MaxInt64) // since 1970, or on the trace clock if that is not known of any
	var zero int64                // of the time line, likewise
	for _, r := range t.Recordings {
		if r.clock.best == nil {
			continue
		}
		wall := wallOf(r.clock.best) + int64(r.Offset)
		r.ToWall, r.Clock.MaxError, r.Clock.Synced = &wall, r.clock.best.MaxError, r.clock.best.Synced
		if began := wall + int64(r.Start); began < first {
			first, zero = began, wall
		}
	}
	start := first - zero
	if first == math.MaxInt64 {
		start = int64(t.Recordings[0].Start)
	}
	least := int64(math.MaxInt64)
	for _, r := range t.Recordings {
		if r.ToWall != nil {
			r.Shift = *r.ToWall - zero
		} else {
			r.Shift = start + int64(r.Offset) - int64(r.Start)
		}
		least = min(least, int64(r.Start)+r.Shift)
	}
	if least < 0 { // an offset moves it to before the boot
		for _, r := range t.Recordings {
			r.Shift -= least
		}
		least = 0
	}
	t.Start = uint64(least)
}

package render

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// A TimeMode says what the TIME column shows.
type TimeMode uint8

const (
	TimeRel   TimeMode = iota // seconds since Options.Start
	TimeDelta                 // seconds since the last line
	TimeClock                 // time of day
	TimeBoot                  // seconds on the trace clock
	TimeNone                  // no column
)

// timeModes has the names of the modes.
var timeModes = [...]string{"rel", "delta", "clock", "boot", "none"}

// ParseTimeMode returns the mode of that name, for --time.
func ParseTimeMode(name string) (TimeMode, error) {
	m := slices.Index(timeModes[:], name)
	if m < 0 {
		return 0, fmt.Errorf("no mode of time is called %q", name)
	}
	return TimeMode(m), nil
}

// TimeModes returns the names of the modes.
func TimeModes() []string { return slices.Clone(timeModes[:]) }

func (m TimeMode) String() string { return timeModes[m] }

// Wall returns the time of day for now, in ns on the trace clock.
func (o *Options) Wall(now uint64) time.Time {
	zone := o.Zone
	if zone == nil {
		zone = time.Local
	}
	add := int64(0)
	if o.Clock != nil {
		add = o.Clock(now)
	}
	return time.Unix(0, int64(now)+add).In(zone)
}

// durationUnits are the units of durations from 1000 ns on.
var durationUnits = [...]struct {
	ns   uint64
	name string
}{{1e3, "us"}, {1e6, "ms"}, {1e9, "s"}}

// AppendDuration appends ns in a suitable unit, rounded to three digits: "12.3us".
func AppendDuration(dst []byte, ns uint64) []byte {
	if ns < 1000 {
		return append(strconv.AppendUint(dst, ns, 10), "ns"...)
	}
	for _, unit := range durationUnits {
		for scale := uint64(100); scale > 0; scale /= 10 {
			step := unit.ns / scale
			n := (ns + step/2) / step
			if n < 1000 || scale == 1 && unit.name == "s" {
				return append(AppendFixed(dst, n, scale), unit.name...)
			}
		}
	}
	return dst
}

// AppendFixed appends n/scale with all its decimals; scale is a power of 10.
func AppendFixed(dst []byte, n, scale uint64) []byte {
	dst = strconv.AppendUint(dst, n/scale, 10)
	if scale > 1 {
		dst = append(dst, '.')
	}
	for scale /= 10; scale > 0; scale /= 10 {
		dst = append(dst, '0'+byte(n/scale%10))
	}
	return dst
}

package render

import (
	"strconv"
	"time"
)

// TimeMode says what the TIME column shows.
type TimeMode uint8

const (
	TimeRel   TimeMode = iota // seconds since Options.Start
	TimeDelta                 // seconds since the line before
	TimeClock                 // time of day
	TimeBoot                  // seconds on the trace clock
	TimeNone                  // no column
)

// timeModes are the names of the modes, and the widths of their columns.
var timeModes = [...]struct {
	name  string
	width int
}{
	TimeRel:   {"rel", 11},
	TimeDelta: {"delta", 11},
	TimeClock: {"clock", 15},
	TimeBoot:  {"boot", 13},
	TimeNone:  {"none", 0},
}

// ParseTimeMode finds a mode by its name, as --time takes it.
func ParseTimeMode(name string) (TimeMode, bool) {
	for m, mode := range timeModes {
		if mode.name == name {
			return TimeMode(m), true
		}
	}
	return 0, false
}

// TimeModes are the names of the modes.
func TimeModes() []string {
	names := make([]string, len(timeModes))
	for i, m := range timeModes {
		names[i] = m.name
	}
	return names
}

func (m TimeMode) String() string { return timeModes[m].name }

// appendTime appends the TIME column for an event at now, in ns on the trace
// clock.
func (p *Printer) appendTime(dst []byte, now uint64) []byte {
	var ns int64
	switch p.opts.Time {
	case TimeRel:
		ns = int64(now - p.opts.Start)
	case TimeDelta:
		if p.last != 0 {
			ns = int64(now - p.last)
		}
		p.last = now
	case TimeBoot:
		ns = int64(now)
	case TimeClock:
		return p.wall(now).AppendFormat(dst, "15:04:05.000000")
	}
	start := len(dst)
	if ns < 0 {
		dst, ns = append(dst, '-'), -ns
	}
	dst = appendMicros(dst, uint64(ns)/1000)
	return padLeft(dst, start, timeModes[p.opts.Time].width)
}

// wall is the time of day at now on the trace clock.
func (p *Printer) wall(now uint64) time.Time {
	zone := p.opts.Zone
	if zone == nil {
		zone = time.Local
	}
	return time.Unix(0, int64(now)+p.opts.Clock).In(zone)
}

// appendMicros appends µs as seconds with six decimals.
func appendMicros(dst []byte, us uint64) []byte {
	dst = strconv.AppendUint(dst, us/1e6, 10)
	n := uint32(us % 1e6)
	return append(dst, '.', '0'+byte(n/100000), '0'+byte(n/10000%10), '0'+byte(n/1000%10),
		'0'+byte(n/100%10), '0'+byte(n/10%10), '0'+byte(n%10))
}

// appendSeconds appends ns as seconds with that many decimals, cut off.
func appendSeconds(dst []byte, ns uint64, decimals int) []byte {
	dst = appendFixed(dst, ns, 1e9)
	return dst[:len(dst)-9+decimals]
}

// durationUnits are what durations from 1000 ns on are shown in.
var durationUnits = [...]struct {
	ns   uint64
	name string
}{{1e3, "us"}, {1e6, "ms"}, {1e9, "s"}}

// appendDuration appends ns in the unit that suits, rounded to three digits:
// "12.3us".
func appendDuration(dst []byte, ns uint64) []byte {
	if ns < 1000 {
		return append(strconv.AppendUint(dst, ns, 10), "ns"...)
	}
	for _, unit := range durationUnits {
		for scale := uint64(100); scale > 0; scale /= 10 {
			step := unit.ns / scale
			n := (ns + step/2) / step
			if n < 1000 || scale == 1 && unit.name == "s" {
				return append(appendFixed(dst, n, scale), unit.name...)
			}
		}
	}
	return dst
}

// appendFixed appends n/scale with all its decimals; scale is a power of 10.
func appendFixed(dst []byte, n, scale uint64) []byte {
	dst = strconv.AppendUint(dst, n/scale, 10)
	if scale > 1 {
		dst = append(dst, '.')
	}
	for scale /= 10; scale > 0; scale /= 10 {
		dst = append(dst, '0'+byte(n/scale%10))
	}
	return dst
}

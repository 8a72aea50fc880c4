package text

import (
	"strconv"

	"github.com/tsnoop/tsnoop/render"
)

// timeWidths are the widths of the TIME column, which is not there with TimeNone.
var timeWidths = [...]int{
	render.TimeRel:   11,
	render.TimeDelta: 11,
	render.TimeClock: 15,
	render.TimeBoot:  13,
	render.TimeNone:  0,
}

// appendTime appends the TIME column for an event at now, in ns on the trace
// clock.
func (p *Printer) appendTime(dst []byte, now uint64) []byte {
	var ns int64
	switch p.opts.Time {
	case render.TimeRel:
		ns = int64(now - p.opts.Start)
	case render.TimeDelta:
		if p.last != 0 {
			ns = int64(now - p.last)
		}
		p.last = now
	case render.TimeBoot:
		ns = int64(now)
	case render.TimeClock:
		return p.opts.Wall(now).AppendFormat(dst, "15:04:05.000000")
	}
	start := len(dst)
	if ns < 0 {
		dst, ns = append(dst, '-'), -ns
	}
	dst = appendMicros(dst, uint64(ns)/1000)
	return padLeft(dst, start, timeWidths[p.opts.Time])
}

// appendMicros appends µs as seconds with six decimals.
func appendMicros(dst []byte, us uint64) []byte {
	dst = strconv.AppendUint(dst, us/1e6, 10)
	n := uint32(us % 1e6)
	return append(dst, '.', '0'+byte(n/100000), '0'+byte(n/10000%10), '0'+byte(n/1000%10),
		'0'+byte(n/100%10), '0'+byte(n/10%10), '0'+byte(n%10))
}

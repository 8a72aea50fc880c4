package text

import "github.com/tsnoop/tsnoop/render"

// timeWidths are the widths of the TIME column in each mode; TimeNone has no column.
var timeWidths = [...]int{
	render.TimeRel:   11,
	render.TimeDelta: 11,
	render.TimeClock: 15,
	render.TimeBoot:  13,
	render.TimeNone:  0,
}

// appendTime appends the TIME column for an event at now, in ns on the trace clock.
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
	width := timeWidths[p.opts.Time]
	if ns < 0 {
		start := len(dst)
		return padLeft(appendMicros(append(dst, '-'), uint64(-ns)/1000, 0), start, width)
	}
	return appendMicros(dst, uint64(ns)/1000, width)
}

// appendMicros appends µs as seconds with six decimals, right-aligned in width columns.
func appendMicros(dst []byte, us uint64, width int) []byte {
	dst = appendRight(dst, us/1e6, width-len(".000000"))
	n := uint32(us % 1e6)
	a, b, c := n/10000*2, n/100%100*2, n%100*2
	return append(dst, '.', pairs[a], pairs[a+1], pairs[b], pairs[b+1], pairs[c], pairs[c+1])
}

// pairs has the numbers below 100, two digits each.
const pairs = "00010203040506070809" +
	"10111213141516171819" +
	"20212223242526272829" +
	"30313233343536373839" +
	"40414243444546474849" +
	"50515253545556575859" +
	"60616263646566676869" +
	"70717273747576777879" +
	"80818283848586878889" +
	"90919293949596979899"

package text

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
)

// leastBar is the width of the longest bar in columns on a narrow terminal.
const leastBar = 10

// A bar is a row of a histogram: a range and the number of values in it.
type bar struct {
	label string
	count uint64
}

// appendHistogram appends a histogram of the durations of a function's calls:
//
//	vfs_read
//	  [512ns, 1.02us)  12 |@@@@@@          |
//
// Calls whose duration is not known are counted beside the name.
func (p *Printer) appendHistogram(dst []byte, r *sum.Row, width int) []byte {
	dst = p.appendTitle(dst, r)
	dst = append(appendUntimed(dst, r), '\n')
	var bars []bar
	for o := range r.Durations.Octaves {
		bars = append(bars, bar{string(appendOctave(nil, o)), o.Count})
	}
	return appendBars(dst, bars, width)
}

// appendTitle appends the title of a histogram.
func (p *Printer) appendTitle(dst []byte, r *sum.Row) []byte {
	dst = append(p.opts.Paint(dst, render.Heading), r.Title...)
	for i := range r.Keys {
		if i == 0 || !r.Keys[i].Others {
			dst = r.Keys[i].Append(append(dst, ", "...))
		}
	}
	return p.opts.Reset(dst)
}

// appendNumbers appends a histogram of the numbers of a function's calls:
//
//	vfs_read, count: total 4711, mean 523.444, min 0, max 4096, of 9 calls
//	  0         2 |@@@@            |
//	  1024..2047  7 |@@@@@@@@@@@@@@@ |
//
// Ages are shown as durations.
func (p *Printer) appendNumbers(dst []byte, r *sum.Row, name string, h *sum.Numbers, ages bool, width int) []byte {
	sum, mean, number := appendSum, sum.AppendMean, appendNumber
	if ages {
		sum, mean, number = appendAgeSum, appendAgeMean, appendAge
	}
	dst = render.AppendEscaped(append(p.appendTitle(dst, r), ", "...), []byte(name), render.NoQuote)
	if h.Count > 0 {
		dst = sum(append(dst, ": total "...), h.Total())
		dst = mean(append(dst, ", mean "...), h.Mean())
		dst = number(append(dst, ", min "...), h.Min)
		dst = number(append(dst, ", max "...), h.Max)
		dst = append(append(dst, ", of "...), plural.Of(h.Count, "call")...)
	}
	if h.Unknown > 0 {
		dst = strconv.AppendUint(append(dst, ", without "...), h.Unknown, 10)
		dst = append(dst, " of which it is not known"...)
	}
	var bars []bar
	for g := range h.Ranges {
		label := number(nil, g.Least)
		if g.Least.Value != g.Most.Value {
			label = number(append(label, ".."...), g.Most)
		}
		bars = append(bars, bar{string(label), g.Count})
	}
	return appendBars(append(dst, '\n'), bars, width)
}

func appendNumber(dst []byte, n sum.Number) []byte {
	if n.Signed {
		return strconv.AppendInt(dst, int64(n.Value), 10)
	}
	return strconv.AppendUint(dst, n.Value, 10)
}

func appendSum(dst []byte, n *big.Int) []byte { return n.Append(dst, 10) }

func appendAge(dst []byte, n sum.Number) []byte { return render.AppendAge(dst, int64(n.Value)) }

func appendAgeSum(dst []byte, n *big.Int) []byte {
	if !n.IsInt64() {
		return append(n.Append(dst, 10), "ns"...)
	}
	return render.AppendAge(dst, n.Int64())
}

func appendAgeMean(dst []byte, mean *big.Rat) []byte {
	ns := new(big.Int).Quo(mean.Num(), mean.Denom())
	return appendAgeSum(dst, ns)
}

func appendBars(dst []byte, bars []bar, width int) []byte {
	var most uint64
	label, digits := 0, 0
	for _, b := range bars {
		most = max(most, b.count)
		label = max(label, len(b.label))
		digits = max(digits, len(strconv.FormatUint(b.count, 10)))
	}
	room := max(width-label-digits-len("     ||"), leastBar)
	for _, b := range bars {
		start := len(dst)
		dst = padRight(append(append(dst, "  "...), b.label...), start, label+4)
		start = len(dst)
		dst = padLeft(strconv.AppendUint(dst, b.count, 10), start, digits)
		dst = append(dst, " |"...)
		start = len(dst)
		dst = padRight(append(dst, strings.Repeat("@", barLength(b.count, most, room))...), start, room)
		dst = append(dst, "|\n"...)
	}
	return dst
}

// barLength returns the length of a bar for n if the bar for most takes width columns. It
// is at least 1 unless n is 0.
func barLength(n, most uint64, width int) int {
	if n == 0 {
		return 0
	}
	return max(1, int(float64(n)/float64(most)*float64(width)+0.5))
}

func appendOctave(dst []byte, o sum.Octave) []byte {
	dst = render.AppendDuration(append(dst, '['), o.From)
	return append(render.AppendDuration(append(dst, ", "...), o.To), ')')
}

// appendUntimed appends the number of calls whose duration is not known, and why.
func appendUntimed(dst []byte, r *sum.Row) []byte {
	if r.Unfinished+r.Orphans == 0 {
		return dst
	}
	dst = append(dst, ", without "...)
	if r.Unfinished > 0 {
		dst = append(strconv.AppendUint(dst, r.Unfinished, 10), " that did not return"...)
	}
	if r.Unfinished > 0 && r.Orphans > 0 {
		dst = append(dst, " and "...)
	}
	if r.Orphans > 0 {
		dst = append(strconv.AppendUint(dst, r.Orphans, 10), " whose entry was not seen"...)
	}
	return dst
}

package text

import (
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// leastBar is how long the longest bar is at least, in columns, however narrow
// the terminal.
const leastBar = 10

// appendHistogram appends how many of a function's calls took how long:
//
//	vfs_read
//	  [512ns, 1.02us)  12 |@@@@@@          |
//
// The calls of which that is not known are named beside the function.
func (p *Printer) appendHistogram(dst []byte, r *render.SummaryRow, width int) []byte {
	dst = append(p.opts.Paint(dst, render.Heading), r.Title...)
	dst = append(appendUntimed(p.opts.Reset(dst), r), '\n')
	var octaves []calls.Octave
	var most uint64
	label, digits := 0, 0
	for o := range r.Durations.Octaves {
		octaves = append(octaves, o)
		most = max(most, o.Count)
		label = max(label, len(appendOctave(nil, o)))
		digits = max(digits, len(strconv.FormatUint(o.Count, 10)))
	}
	bar := max(width-label-digits-len("     ||"), leastBar)
	for _, o := range octaves {
		start := len(dst)
		dst = padRight(appendOctave(append(dst, "  "...), o), start, label+4)
		start = len(dst)
		dst = padLeft(strconv.AppendUint(dst, o.Count, 10), start, digits)
		dst = append(dst, " |"...)
		start = len(dst)
		dst = padRight(append(dst, strings.Repeat("@", barLength(o.Count, most, bar))...), start, bar)
		dst = append(dst, "|\n"...)
	}
	return dst
}

// barLength is how long a bar is for n if one for most takes width columns. No
// bar is so short that it cannot be seen.
func barLength(n, most uint64, width int) int {
	if n == 0 {
		return 0
	}
	return max(1, int(float64(n)/float64(most)*float64(width)+0.5))
}

func appendOctave(dst []byte, o calls.Octave) []byte {
	dst = render.AppendDuration(append(dst, '['), o.From)
	return append(render.AppendDuration(append(dst, ", "...), o.To), ')')
}

// appendUntimed appends of how many calls it is not known how long they took.
func appendUntimed(dst []byte, r *render.SummaryRow) []byte {
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

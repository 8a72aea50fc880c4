package text

import (
	"math/bits"
	"strconv"
	"unicode/utf8"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
)

// heatCells is the number of columns of the heat map: one for each power of two from 1ns
// on. The last one, of some nine minutes, also counts longer durations.
const heatCells = 40

// heatCalls is the width of the column of calls, with the space before it.
const heatCalls = 9

// shades are the colours of a cell with at least 1 call, 4, 16 and so on, of the 256
// colours that terminals have: one for the digit, one for the background.
var shades = [...][2]uint8{{15, 17}, {15, 19}, {15, 26}, {15, 30}, {16, 36}, {16, 71}, {16, 142}, {16, 220}}

// mostEmpty is the most rows without calls that are shown one by one.
const mostEmpty = 3

// A heat is the state of a heat map.
type heat struct {
	begun bool
	last  uint64 // end of the last row, ns
}

// appendHeat appends a row of a heat map, of durations over time, for each function.
func (p *Printer) appendHeat(dst []byte, s *sum.Summary) []byte {
	if !p.heat.begun {
		dst = p.appendScale(dst, s.Every)
	} else {
		dst = p.appendGap(dst, s)
	}
	p.heat = heat{true, s.To}
	p.summed = true
	rows := s.HeatRows(p.functions)
	called := rows[:0:0]
	for _, r := range rows {
		if r.Calls > 0 {
			called = append(called, r)
		}
	}
	for i := range called {
		dst = p.appendHeatRow(dst, s.To, &called[i])
		if render.Shown(p.functions) > 1 {
			dst = appendCut(append(dst, ' '), called[i].Title, s.Width-p.heatWidth()-1)
		}
		dst = appendUncounted(dst, &called[i])
		if i == 0 {
			dst = appendLost(dst, s, ", ")
		}
		dst = append(dst, '\n')
	}
	if len(called) == 0 {
		dst = append(appendLost(p.appendHeatRow(dst, s.To, &sum.Row{Sum: &sum.Sum{}}), s, ", "), '\n')
	}
	return appendSwitchedOff(dst, s, rows)
}

// appendScale appends the legend: the rows, the columns and the shades.
func (p *Printer) appendScale(dst []byte, every uint64) []byte {
	dst = render.AppendDuration(append(p.opts.Paint(dst, render.Aside), "Durations over time: a row every "...), every)
	dst = append(p.opts.Reset(append(dst, ", a column for each power of two."...)), "\nCalls: . 0"...)
	for i := range shades {
		dst = append(p.appendShade(append(dst, "  "...), i+1), ": "...)
		dst = append(strconv.AppendUint(dst, 1<<(2*i), 10), '+')
	}
	dst = p.opts.Paint(append(dst, '\n'), render.Aside)
	if width := timeWidths[p.opts.Time]; width > 0 {
		start := len(dst)
		dst = append(padLeft(append(dst, "TIME"...), start, width), ' ')
	}
	for i := 0; i < heatCells; i += 10 {
		start := len(dst)
		dst = padRight(render.AppendDuration(dst, 1<<i), start, 10)
	}
	dst = append(dst, "    CALLS"...)
	if render.Shown(p.functions) > 1 {
		dst = append(dst, " FUNCTION"...)
	}
	return append(p.opts.Reset(dst), '\n')
}

// appendGap appends rows for the time since the last row, if it is longer than a row.
func (p *Printer) appendGap(dst []byte, s *sum.Summary) []byte {
	if s.From <= p.heat.last || s.Every == 0 {
		return dst
	}
	n := (s.From - p.heat.last) / s.Every
	if n > mostEmpty {
		dst = strconv.AppendUint(append(p.opts.Paint(dst, render.Aside), "..."...), n, 10)
		return append(p.opts.Reset(append(dst, " rows without calls"...)), '\n')
	}
	for i := range n {
		dst = append(p.appendHeatRow(dst, p.heat.last+(i+1)*s.Every, &sum.Row{Sum: &sum.Sum{}}), '\n')
	}
	return dst
}

func (p *Printer) appendHeatRow(dst []byte, end uint64, r *sum.Row) []byte {
	if p.opts.Time != render.TimeNone {
		dst = p.appendTime(p.opts.Paint(dst, render.Aside), end)
		dst = append(p.opts.Reset(dst), ' ')
	}
	var cells [heatCells]uint64
	for o := range r.Durations.Octaves {
		cells[min(max(bits.Len64(o.From)-1, 0), heatCells-1)] += o.Count
	}
	for _, n := range cells {
		dst = p.appendShade(dst, shadeOf(n))
	}
	start := len(dst)
	return padLeft(strconv.AppendUint(append(dst, ' '), r.Calls, 10), start, heatCalls)
}

// appendUncounted appends the number of calls whose duration is not known.
func appendUncounted(dst []byte, r *sum.Row) []byte {
	if n := r.Calls - r.Durations.Count; n > 0 {
		return append(strconv.AppendUint(append(dst, ", "...), n, 10), " untimed"...)
	}
	return dst
}

// heatWidth returns how many columns a row takes without the name of the function.
func (p *Printer) heatWidth() int {
	n := heatCells + heatCalls
	if width := timeWidths[p.opts.Time]; width > 0 {
		n += width + 1
	}
	return n
}

// appendCut appends as much of a name as there is room for.
func appendCut(dst []byte, name string, width int) []byte {
	if render.TextWidth([]byte(name)) <= max(width, leastBar) {
		return append(dst, name...)
	}
	start := len(dst)
	for _, r := range name {
		if dst = utf8.AppendRune(dst, r); render.TextWidth(dst[start:]) >= max(width, leastBar)-len("...") {
			break
		}
	}
	return append(dst, "..."...)
}

// shadeOf returns the shade for a number of calls, from 1; 0 for no calls.
func shadeOf(n uint64) int { return min((bits.Len64(n)+1)/2, len(shades)) }

// appendShade appends a cell: the shade's digit, on its colour.
func (p *Printer) appendShade(dst []byte, shade int) []byte {
	if shade == 0 {
		return append(dst, '.')
	}
	if p.opts.Color {
		c := shades[shade-1]
		dst = strconv.AppendUint(append(dst, "\x1b[38;5;"...), uint64(c[0]), 10)
		dst = append(strconv.AppendUint(append(dst, ";48;5;"...), uint64(c[1]), 10), 'm')
	}
	return p.opts.Reset(append(dst, '0'+byte(shade)))
}

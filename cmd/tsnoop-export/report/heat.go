package report

import "math/bits"

// heatColumns is the most columns of the heat map; it has at least half as many, unless all calls
// begin at once.
const heatColumns = 240

// A heat counts calls by when they began and how long they took, in memory that does not grow with
// either. Each row is the durations from one power of two to the next.
type heat struct {
	first int64    // number of the first column: its start is first << shift
	shift uint     // a column is 1 << shift ns wide
	cells []octave // the columns
}

type octave [65]uint64

// add counts a call.
func (h *heat) add(at int64, duration uint64) {
	if h.cells == nil {
		h.first, h.cells = at, make([]octave, 1)
	}
	column := at >> h.shift
	for max(column, h.last())-min(column, h.first) >= heatColumns || max(column, h.last())-min(column, h.first) < 0 {
		h.widen()
		column = at >> h.shift
	}
	for column > h.last() {
		h.cells = append(h.cells, octave{})
	}
	if n := h.first - column; n > 0 {
		h.cells = append(make([]octave, n), h.cells...)
		h.first = column
	}
	h.cells[column-h.first][bits.Len64(duration)]++
}

func (h *heat) last() int64 { return h.first + int64(len(h.cells)) - 1 }

// widen makes columns twice as wide.
func (h *heat) widen() {
	first := h.first >> 1
	wide := make([]octave, h.last()>>1-first+1)
	for i := range h.cells {
		to := &wide[(h.first+int64(i))>>1-first]
		for j, n := range h.cells[i] {
			to[j] += n
		}
	}
	h.first, h.shift, h.cells = first, h.shift+1, wide
}

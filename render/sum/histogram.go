package sum

import "math/bits"

// Each power of two is split into equal parts, so a value is known to within a 16th.
// Values below parts, in ns, are known exactly.
const (
	partBits = 4
	parts    = 1 << partBits
	rows     = 64 - partBits + 1
)

// A Histogram counts durations in ns, in memory that does not grow with their number.
// The zero value is empty. A copy of a Histogram shares its counts.
type Histogram struct {
	Count    uint64
	Total    uint64 // ns
	Min, Max uint64 // ns; 0 if empty

	rows [rows]*[parts]uint64 // nil if nothing was counted in them; most are
}

// at returns the count of bucket i.
func (h *Histogram) at(i int) uint64 {
	if row := h.rows[i>>partBits]; row != nil {
		return row[i&(parts-1)]
	}
	return 0
}

// row returns row i, to count in it.
func (h *Histogram) row(i int) *[parts]uint64 {
	row := h.rows[i]
	if row == nil {
		row = new([parts]uint64)
		h.rows[i] = row
	}
	return row
}

// bucketOf returns the index of the bucket that ns belongs to.
func bucketOf(ns uint64) int {
	if ns < parts {
		return int(ns)
	}
	exp := bits.Len64(ns) - 1 - partBits
	return exp<<partBits + int(ns>>exp)
}

// bucketStart returns the smallest duration in bucket i, in ns.
func bucketStart(i int) uint64 {
	if i < parts {
		return uint64(i)
	}
	exp := i>>partBits - 1
	return uint64(parts|i&(parts-1)) << exp
}

// Add counts a duration of ns nanoseconds.
func (h *Histogram) Add(ns uint64) {
	if h.Count == 0 || ns < h.Min {
		h.Min = ns
	}
	h.Max = max(h.Max, ns)
	h.Count++
	h.Total += ns
	i := bucketOf(ns)
	h.row(i >> partBits)[i&(parts-1)]++
}

// Merge adds the counts of o.
func (h *Histogram) Merge(o *Histogram) {
	if o.Count == 0 {
		return
	}
	if h.Count == 0 || o.Min < h.Min {
		h.Min = o.Min
	}
	h.Max = max(h.Max, o.Max)
	h.Count += o.Count
	h.Total += o.Total
	for i := range o.rows {
		if from := o.rows[i]; from != nil {
			to := h.row(i)
			for j, n := range from {
				to[j] += n
			}
		}
	}
}

// Mean returns the mean in ns, or 0 if h is empty.
func (h *Histogram) Mean() uint64 {
	if h.Count == 0 {
		return 0
	}
	return h.Total / h.Count
}

// Percentile returns the smallest duration in ns that p percent of all do not exceed. p
// is from 1 to 100. The result is exact to within a 32nd. It is 0 if h is empty.
func (h *Histogram) Percentile(p int) uint64 {
	rank := h.Count/100*uint64(p) + (h.Count%100*uint64(p)+99)/100
	if rank == h.Count {
		return h.Max
	}
	var seen uint64
	for i := range rows * parts {
		n := h.at(i)
		if seen += n; n > 0 && seen >= rank {
			start := bucketStart(i)
			width := bucketStart(i+1) - start // for the last bucket too, whose end wraps around to 0
			return min(max(start+width/2, h.Min), h.Max)
		}
	}
	return 0
}

// An Octave is the number of durations between one power of two and the next.
type Octave struct {
	From, To uint64 // ns, From <= d < To; the first is from 0 to 1
	Count    uint64
}

// Octaves yields the octaves from that of the shortest duration to that of the longest.
// It yields nothing if h is empty.
func (h *Histogram) Octaves(yield func(Octave) bool) {
	if h.Count == 0 {
		return
	}
	for exp := bits.Len64(h.Min); exp <= bits.Len64(h.Max); exp++ {
		var o Octave
		if exp > 0 {
			o.From = 1 << (exp - 1)
		}
		o.To = 1 << exp
		last := o.To - 1 // also if To wraps around to 0
		if o.To == 0 {
			o.To = last
		}
		for i := bucketOf(o.From); i <= bucketOf(last); i++ {
			o.Count += h.at(i)
		}
		if !yield(o) {
			return
		}
	}
}

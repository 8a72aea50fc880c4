package sum

import (
	"math/big"
	"math/bits"
)

// A Number is a value of a call.
type Number struct {
	Value  uint64
	Signed bool // Value is an int64
	Known  bool // it could be read
}

// abs returns the absolute value of n and whether n is negative.
func (n Number) abs() (abs uint64, negative bool) {
	if n.Signed && int64(n.Value) < 0 {
		return -n.Value, true
	}
	return n.Value, false
}

// Less reports whether n is less than o. It compares values: -1 is less than any
// unsigned number.
func (n Number) Less(o Number) bool {
	a, aNeg := n.abs()
	b, bNeg := o.abs()
	switch {
	case aNeg != bNeg:
		return aNeg
	case aNeg:
		return a > b
	}
	return a < b
}

// zeroRange is the index of the range that holds only zero. The ranges of positive
// numbers follow it, in order of their bit length; those of negative numbers precede
// it.
const zeroRange = 64

// Numbers counts numbers of any sign by powers of two, in memory that does not grow
// with them. The zero value is empty.
type Numbers struct {
	Count uint64 // numbers that are known
	// numbers that could not be read
	Unknown  uint64
	Min, Max Number // valid if Count is not 0

	positive, negative [2]uint64 // sums of absolute values, in 128 bits, low word first
	ranges             [2*zeroRange + 1]uint64
}

// Add counts a number.
func (h *Numbers) Add(n Number) {
	if !n.Known {
		h.Unknown++
		return
	}
	if h.Count == 0 || n.Less(h.Min) {
		h.Min = n
	}
	if h.Count == 0 || h.Max.Less(n) {
		h.Max = n
	}
	h.Count++
	abs, negative := n.abs()
	if negative {
		addWide(&h.negative, [2]uint64{abs, 0})
		h.ranges[zeroRange-bits.Len64(abs)]++
		return
	}
	addWide(&h.positive, [2]uint64{abs, 0})
	h.ranges[zeroRange+bits.Len64(abs)]++
}

func addWide(to *[2]uint64, n [2]uint64) {
	var carry uint64
	to[0], carry = bits.Add64(to[0], n[0], 0)
	to[1], _ = bits.Add64(to[1], n[1], carry)
}

// Merge adds the counts of o.
func (h *Numbers) Merge(o *Numbers) {
	h.Unknown += o.Unknown
	if o.Count == 0 {
		return
	}
	if h.Count == 0 || o.Min.Less(h.Min) {
		h.Min = o.Min
	}
	if h.Count == 0 || h.Max.Less(o.Max) {
		h.Max = o.Max
	}
	h.Count += o.Count
	addWide(&h.positive, o.positive)
	addWide(&h.negative, o.negative)
	for i, n := range o.ranges {
		h.ranges[i] += n
	}
}

// Total returns the sum of the known numbers.
func (h *Numbers) Total() *big.Int {
	return new(big.Int).Sub(wide(h.positive), wide(h.negative))
}

func wide(n [2]uint64) *big.Int {
	x := new(big.Int).SetUint64(n[1])
	return x.Lsh(x, 64).Add(x, new(big.Int).SetUint64(n[0]))
}

// Mean returns the exact mean of the known numbers, or 0 if there are none.
func (h *Numbers) Mean() *big.Rat {
	if h.Count == 0 {
		return new(big.Rat)
	}
	return new(big.Rat).SetFrac(h.Total(), new(big.Int).SetUint64(h.Count))
}

// A Range counts the numbers that have the same sign and the same highest bit.
type Range struct {
	Least, Most Number // inclusive
	Count       uint64
}

// Ranges yields the ranges from that of the least number to that of the greatest. It
// yields nothing if there are no numbers.
func (h *Numbers) Ranges(yield func(Range) bool) {
	if h.Count == 0 {
		return
	}
	for i := h.Min.rangeOf(); i <= h.Max.rangeOf(); i++ {
		r := rangeAt(i)
		r.Count = h.ranges[i]
		if !yield(r) {
			return
		}
	}
}

func (n Number) rangeOf() int {
	abs, negative := n.abs()
	if negative {
		return zeroRange - bits.Len64(abs)
	}
	return zeroRange + bits.Len64(abs)
}

// rangeAt returns the bounds of the numbers that ranges[i] counts.
func rangeAt(i int) Range {
	switch n := i - zeroRange; {
	case n > 0:
		least := uint64(1) << (n - 1)
		return Range{Least: Number{Value: least, Known: true}, Most: Number{Value: least<<1 - 1, Known: true}}
	case n < 0:
		most := uint64(1) << (-n - 1)
		least := -(most<<1 - 1)
		if most == 1<<63 { // no number is less
			least = most
		}
		return Range{Least: Number{least, true, true}, Most: Number{-most, true, true}}
	}
	return Range{Least: Number{Known: true}, Most: Number{Known: true}}
}

package otlp

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A histogram counts durations in buckets whose bounds grow by the same factor, which is
// 2^(2^-scale). It begins with the finest buckets, and halves their number when they are too many.
//
// https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram
type histogram struct {
	count, zeros, total uint64 // total is in ns
	min, max            uint64 // ns
	scale               int
	first               int // index of counts[0]
	counts              []uint64
}

const (
	finest      = 20
	mostBuckets = 160
)

// add counts a duration in ns.
func (h *histogram) add(ns uint64) {
	if h.count == 0 {
		h.scale, h.min = finest, ns
	}
	h.count++
	h.total += ns
	h.min, h.max = min(h.min, ns), max(h.max, ns)
	if ns == 0 {
		h.zeros++
		return
	}
	i := h.index(ns)
	if len(h.counts) == 0 {
		h.first = i
		h.counts = append(h.counts, 1)
		return
	}
	low, high := min(h.first, i), max(h.first+len(h.counts)-1, i)
	for high-low >= mostBuckets {
		h.halve()
		i, low, high = i>>1, low>>1, high>>1
	}
	for len(h.counts) <= high-low {
		h.counts = append(h.counts, 0)
	}
	if low < h.first { // the new ones are before the others
		copy(h.counts[h.first-low:], h.counts)
		clear(h.counts[:h.first-low])
		h.first = low
	}
	h.counts[i-low]++
}

// index returns the bucket of a duration at the present scale: that of the seconds which are
// more than its lower bound, and at most its upper one.
func (h *histogram) index(ns uint64) int {
	seconds := float64(ns) / 1e9
	if h.scale <= 0 {
		fraction, exponent := math.Frexp(seconds)
		if fraction == 0.5 { // a power of two is an upper bound
			exponent--
		}
		return (exponent - 1) >> -h.scale
	}
	return int(math.Ceil(math.Log2(seconds)*math.Ldexp(1, h.scale))) - 1
}

// halve joins each two buckets.
func (h *histogram) halve() {
	h.scale--
	low := h.first >> 1
	n := (h.first+len(h.counts)-1)>>1 - low + 1
	for i, count := range h.counts {
		h.counts[i] = 0
		h.counts[(h.first+i)>>1-low] += count
	}
	h.counts, h.first = h.counts[:n], low
}

// Fields of ExponentialHistogramDataPoint and its Buckets.
const (
	pointAttributes, pointStart, pointTime   protowire.Number = 1, 2, 3
	pointCount, pointSum, pointScale         protowire.Number = 4, 5, 6
	pointZeros, pointPositive                protowire.Number = 7, 8
	pointMin, pointMax                       protowire.Number = 12, 13
	bucketsOffset, bucketsCounts             protowire.Number = 1, 2
	sumPoints, sumTemporality, sumMonotonic  protowire.Number = 1, 2, 3
	numberStart, numberTime, numberInt       protowire.Number = 2, 3, 6
	numberAttributes                         protowire.Number = 7
	metricName, metricDescription            protowire.Number = 1, 2
	metricUnit, metricSum, metricExponential protowire.Number = 3, 7, 10
	delta, cumulative                        uint64           = 1, 2
)

// append appends the fields of a data point, except the attributes and times.
func (h *histogram) append(dst []byte) []byte {
	dst = appendFixed(dst, pointCount, h.count)
	dst = appendDouble(dst, pointSum, seconds(h.total))
	dst = appendSigned(dst, pointScale, h.scale)
	if h.zeros > 0 {
		dst = appendFixed(dst, pointZeros, h.zeros)
	}
	if len(h.counts) > 0 {
		d, positive := begin(dst, pointPositive)
		d = appendSigned(d, bucketsOffset, h.first)
		d, counts := begin(d, bucketsCounts)
		for _, n := range h.counts {
			d = protowire.AppendVarint(d, n)
		}
		dst = end(end(d, counts), positive)
	}
	if h.count == 0 {
		return dst
	}
	return appendDouble(appendDouble(dst, pointMin, seconds(h.min)), pointMax, seconds(h.max))
}

// appendSigned appends a field of the type sint32, unless it is zero.
func appendSigned(dst []byte, n protowire.Number, x int) []byte {
	if x == 0 {
		return dst
	}
	return appendNumber(dst, n, protowire.EncodeZigZag(int64(x)))
}

func seconds(ns uint64) float64 { return float64(ns) / 1e9 }

package otlp

import (
	"fmt"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp/env"
)

// mostSeries is how many combinations of keys are counted. Others are counted as one.
const mostSeries = 10_000

// sums are what is counted of a source.
type sums struct {
	series map[string]*series // by their attributes
	order  []*series
	start  uint64 // ns since 1970
	sent   uint64 // when the last points were sent; on the trace clock
	next   uint64 // when the next ones are
	lost   uint64 // events, since start

	counted uint64 // events that are known to be lost
	change  bool   // since the last ones
}

// A series is the calls with the same keys.
type series struct {
	attrs, numberAttrs []byte // as fields of points
	calls              uint64
	durations          histogram
}

// aggregate adds a call to the sums of a source.
func (x *exporter) aggregate(s *source, c *call.Call) {
	m := &s.sums
	if m.series == nil {
		m.series = map[string]*series{}
	}
	if m.start == 0 {
		m.start = wall(c)
	}
	x.window(s)
	x.span = x.keys(x.span[:0], c)
	one := m.series[string(x.span)]
	if one == nil {
		one = x.newSeries(m)
	}
	one.calls++
	if c.Timed {
		one.durations.add(c.Duration)
	}
	m.change = true
}

// newSeries adds a series with the attributes in x.span, or that of all for which there is no room.
func (x *exporter) newSeries(m *sums) *series {
	if x.series >= mostSeries {
		if x.crowded == 0 {
			x.to.Warn("there are more than %d combinations of keys: others are counted as otel.metric.overflow", mostSeries)
		}
		x.crowded++
		x.span = appendBoolAttr(x.span[:0], pointAttributes, "otel.metric.overflow")
		if one := m.series[string(x.span)]; one != nil {
			return one
		}
	}
	x.series++
	one := &series{attrs: append([]byte(nil), x.span...)}
	one.numberAttrs = renumber(one.attrs)
	m.series[string(one.attrs)] = one
	m.order = append(m.order, one)
	return one
}

// window sends the points of a source if the time for them has come.
func (x *exporter) window(s *source) {
	m, period := &s.sums, uint64(x.o.Metrics)
	if m.next == 0 {
		m.next, m.sent = s.now+period, s.now
		return
	}
	if s.now < m.next {
		return
	}
	if m.change {
		x.points(s, m.next)
	}
	m.next += (s.now - m.next) / period * period
	m.next += period
}

// points puts the points of a source at a time on the trace clock into a batch.
func (x *exporter) points(s *source, now uint64) {
	m := &s.sums
	at := s.wall + now
	m.change = false
	x.put(env.Metrics, s, x.durations(m, at), nil)
	x.put(env.Metrics, s, x.sum(m, "tsnoop.calls", "calls that were seen", "{call}", at, m.calls), nil)
	x.put(env.Metrics, s, x.sum(m, "tsnoop.events.lost", "events that the trace does not show", "{event}", at, m.losses), nil)
	if m.sent = now; !x.delta {
		return
	}
	m.start, m.lost = at, 0
	for _, one := range m.order {
		one.calls, one.durations = 0, histogram{counts: one.durations.counts[:0]}
	}
}

// durations returns the metric of durations.
func (x *exporter) durations(m *sums, at uint64) []byte {
	dst := appendMetric(x.span[:0], "tsnoop.call.duration", "how long calls took", "s")
	dst, metric := begin(dst, metricExponential)
	for _, one := range m.order {
		if one.durations.count == 0 {
			continue
		}
		d, point := begin(dst, sumPoints)
		d = append(d, one.attrs...)
		d = appendFixed(appendFixed(d, pointStart, m.start), pointTime, at)
		dst = end(one.durations.append(d), point)
	}
	x.span = end(appendNumber(dst, sumTemporality, x.temporality()), metric)
	return x.span
}

// sum returns a metric of numbers that only grow, of which each yields the points.
func (x *exporter) sum(m *sums, name, text, unit string, at uint64, each func(func(attrs []byte, n uint64))) []byte {
	dst := appendMetric(x.span[:0], name, text, unit)
	dst, metric := begin(dst, metricSum)
	each(func(attrs []byte, n uint64) {
		d, point := begin(dst, sumPoints)
		d = appendFixed(appendFixed(d, numberStart, m.start), numberTime, at)
		dst = end(append(appendFixed(d, numberInt, n), attrs...), point)
	})
	dst = appendNumber(appendNumber(dst, sumTemporality, x.temporality()), sumMonotonic, 1)
	x.span = end(dst, metric)
	return x.span
}

func (m *sums) calls(yield func(attrs []byte, n uint64)) {
	for _, one := range m.order {
		if one.calls > 0 {
			yield(one.numberAttrs, one.calls)
		}
	}
}

func (m *sums) losses(yield func(attrs []byte, n uint64)) { yield(nil, m.lost) }

func (x *exporter) temporality() uint64 {
	if x.delta {
		return delta
	}
	return cumulative
}

func appendMetric(dst []byte, name, text, unit string) []byte {
	return appendText(appendText(appendText(dst, metricName, name), metricDescription, text), metricUnit, unit)
}

// lose adds a loss to the sums of a source. The total, which comes last, has all others.
func (s *source) lose(l *call.Loss) {
	m := &s.sums
	switch {
	case l.Kind == call.LostHere && l.Known:
		m.lost += l.Count
		m.counted += l.Count
	case l.Kind == call.LostTotal && l.Known && l.Count > m.counted:
		m.lost += l.Count - m.counted
		m.counted = l.Count
	}
	m.change = true
}

// temporality reads the variable that says which one is preferred.
func temporality(getenv func(string) string) (isDelta bool, err error) {
	const name = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"
	switch v := getenv(name); v {
	case "", "cumulative", "Cumulative", "CUMULATIVE":
		return false, nil
	case "delta", "Delta", "DELTA", "lowmemory", "LowMemory", "LOWMEMORY":
		return true, nil
	default:
		return false, fmt.Errorf("%s is %q, and not cumulative, delta or lowmemory", name, v)
	}
}

// finish sends the last points of a source.
func (x *exporter) finish(s *source) {
	if s.sums.change {
		x.points(s, max(s.now, s.sums.sent+1))
	}
	x.series -= len(s.sums.order)
}

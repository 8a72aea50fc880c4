package otlp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/tracefs"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	metricpb "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
)

// Each duration is between the bounds of its bucket, whatever the range of all.
func TestHistogram(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var h histogram
		var all []uint64
		total := uint64(0)
		for range 1 + random.IntN(500) {
			ns := random.Uint64() >> random.IntN(64) >> 4
			if seed%3 == 0 {
				ns = 1000 + random.Uint64N(1+seed) // all are about the same
			}
			h.add(ns)
			all = append(all, ns)
			total += ns
		}
		want := make([]uint64, len(h.counts))
		zeros := uint64(0)
		for _, ns := range all {
			if ns == 0 {
				zeros++
				continue
			}
			i := h.index(ns)
			want[i-h.first]++
			low, high := math.Exp2(math.Ldexp(float64(i), -h.scale)), math.Exp2(math.Ldexp(float64(i+1), -h.scale))
			if s := float64(ns) / 1e9; s < low*(1-1e-12) || s > high*(1+1e-12) {
				t.Fatalf("%d ns is in the bucket %g to %g", ns, low, high)
			}
		}
		if fmt.Sprint(h.counts) != fmt.Sprint(want) || zeros != h.zeros || len(h.counts) > mostBuckets {
			t.Fatalf("seed %d, scale %d from %d: %v, want %v", seed, h.scale, h.first, h.counts, want)
		}
		if h.count != uint64(len(all)) || h.total != total {
			t.Fatalf("%d calls took %d, want %d and %d", h.count, h.total, len(all), total)
		}
		if len(h.counts) > 1 && (h.counts[0] == 0 || h.counts[len(h.counts)-1] == 0) {
			t.Fatalf("buckets are empty: %v", h.counts)
		}
	}
}

// measured is what points say, by their attributes.
type measured struct {
	calls, timed, lost uint64
	seconds            float64
	byKey              map[string]uint64 // calls
	times              []uint64          // of points
}

// measure adds the points of all requests, or takes the last of them if they are cumulative.
func measure(t *testing.T, r *received, temporality metricpb.AggregationTemporality) (m measured) {
	t.Helper()
	m.byKey = map[string]uint64{}
	timed, seconds, starts := map[string]uint64{}, map[string]float64{}, map[string]uint64{}
	note := func(sum map[string]uint64, key string, n uint64) {
		if temporality == metricpb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA {
			n += sum[key]
		}
		sum[key] = n
	}
	for _, request := range r.metrics {
		for _, rm := range request.ResourceMetrics {
			for _, one := range rm.ScopeMetrics[0].Metrics {
				if sum := one.GetSum(); sum != nil {
					if sum.AggregationTemporality != temporality || !sum.IsMonotonic {
						t.Fatalf("%v", one)
					}
					for _, p := range sum.DataPoints {
						key := attrs(p.Attributes)
						if one.Name == "tsnoop.events.lost" {
							note(map[string]uint64{}, key, 0)
							if temporality == metricpb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA {
								m.lost += uint64(p.GetAsInt())
							} else {
								m.lost = uint64(p.GetAsInt())
							}
							m.times = append(m.times, p.TimeUnixNano)
							continue
						}
						note(m.byKey, key, uint64(p.GetAsInt()))
						if p.StartTimeUnixNano >= p.TimeUnixNano || starts[key] > p.StartTimeUnixNano {
							t.Fatalf("from %d to %d", p.StartTimeUnixNano, p.TimeUnixNano)
						}
						starts[key] = p.StartTimeUnixNano
					}
				}
				for _, p := range one.GetExponentialHistogram().GetDataPoints() {
					checkPoint(t, p)
					key := attrs(p.Attributes)
					note(timed, key, p.Count)
					if temporality == metricpb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA {
						seconds[key] += p.GetSum()
					} else {
						seconds[key] = p.GetSum()
					}
				}
			}
		}
	}
	for key, n := range m.byKey {
		m.calls += n
		m.timed += timed[key]
		m.seconds += seconds[key]
	}
	return m
}

// checkPoint compares the counts of a point.
func checkPoint(t *testing.T, p *metricpb.ExponentialHistogramDataPoint) {
	t.Helper()
	n := p.ZeroCount
	for _, c := range p.GetPositive().GetBucketCounts() {
		n += c
	}
	if n != p.Count || p.GetMin() > p.GetMax() || p.GetSum() < p.GetMax() {
		t.Fatalf("%v", p)
	}
}

// Sums are those of all calls, as cumulative points and as those since the last ones, and each
// period has points of its own.
func TestMetrics(t *testing.T) {
	for _, isDelta := range []bool{false, true} {
		random := rand.New(rand.NewPCG(1, 2))
		r := &received{t: t}
		x := newExporter(output.To{Context: t.Context(), Warn: t.Errorf}, Options{Metrics: time.Second, By: []string{"comm", "count"}}, r, nil)
		x.delta = isDelta
		trace := &call.Trace{Origin: &tracefs.Origin{Host: "h", Began: &tracefs.Moment{Wall: 1 << 60, Trace: 1000}}}
		x.Begin(trace)
		count := &call.Item{Name: "count"}
		calls, timed, total := uint64(0), uint64(0), uint64(0)
		byKey := map[string]uint64{}
		for now := uint64(1000); now < 20e9; now += random.Uint64N(40e6) {
			c := &call.Call{Trace: trace, Func: &call.Func{Name: "f"}, Time: now, Wall: 1<<60 - 1000 + int64(now), Comm: fmt.Append(nil, random.IntN(3)), Args: []call.Value{{Item: count}}}
			c.Args[0].Kind, c.Args[0].Number = 2, random.Uint64N(2)
			if random.IntN(4) > 0 {
				c.Timed, c.Duration, c.Ended = true, random.Uint64N(1e6), true
				c.End = c.Time + c.Duration
				timed++
				total += c.Duration
			}
			calls++
			byKey[fmt.Sprintf("%s %d", c.Comm, c.Args[0].Number)]++
			if err := x.Call(c); err != nil {
				t.Fatal(err)
			}
			if calls == 500 {
				now += 3e9 // nothing happens
			}
		}
		x.Loss(&call.Loss{Trace: trace, Kind: call.LostHere, Count: 5, Known: true})
		x.Loss(&call.Loss{Trace: trace, Kind: call.LostTotal, Count: 7, Known: true})
		x.Loss(&call.Loss{Trace: trace, Kind: call.LostHere})
		if err := x.End(trace); err != nil {
			t.Fatal(err)
		}
		x.Close(nil)
		got := measure(t, r, metricpb.AggregationTemporality(x.temporality()))
		if got.calls != calls || got.timed != timed || math.Abs(got.seconds-float64(total)/1e9) > 1e-9 || got.lost != 7 {
			t.Errorf("%+v, want %d calls, %d of them in %d ns", got, calls, timed, total)
		}
		for key, n := range byKey {
			comm, number, _ := strings.Cut(key, " ")
			if is := got.byKey["\n  code.function.name: f\n  thread.name: "+comm+"\n  tsnoop.arg.count: int "+number]; is != n {
				t.Errorf("%s: %d, want %d: %v", key, is, n, got.byKey)
			}
		}
		if n := len(got.times); n < 17 || n > 19 {
			t.Errorf("%d points", n)
		}
		for i, at := range got.times[:len(got.times)-1] {
			if (at-1<<60)%1e9 != 0 || i > 0 && at <= got.times[i-1] {
				t.Errorf("%d points are at %d", i, at)
			}
		}
		if len(r.spans)+len(r.records) > 0 {
			t.Error("there are spans")
		}
	}
}

// With --spans there are also spans, and what no call has is reported.
func TestMetricsAndSpans(t *testing.T) {
	lines := `{"ts_ns":5,"cpu":0,"pid":1,"tid":7,"comm":"a","func":"f","module":"m","caller":"g","ret":{"type":"int","value":-2,"errno":"ENOENT"},"duration_ns":3,"end_ns":8}` + "\n"
	r, warned := exported(t, lines, Options{Metrics: time.Second, Spans: true, By: []string{"pid", "tid", "cpu", "caller", "return", "count"}})
	if len(r.spans) != 1 || !strings.Contains(warned, "no call has a value count: give --by") {
		t.Errorf("%s%s", r.dump(), warned)
	}
	p := r.metrics[0].ResourceMetrics[0].ScopeMetrics[0].Metrics[0].GetExponentialHistogram().DataPoints[0]
	if got := attrs(p.Attributes); got != `
  code.function.name: f
  tsnoop.module: m
  error.type: ENOENT
  process.pid: int 1
  thread.id: int 7
  cpu.logical_number: int 0
  tsnoop.caller: g
  tsnoop.arg.return: int -2` {
		t.Error(got)
	}
}

// Keys with many values do not take all memory.
func TestManySeries(t *testing.T) {
	r := &received{t: t}
	var warned strings.Builder
	x := newExporter(output.To{Context: t.Context(), Warn: func(f string, args ...any) { fmt.Fprintf(&warned, f+"\n", args...) }}, Options{Metrics: time.Hour, By: []string{"tid"}}, r, nil)
	trace := &call.Trace{Origin: &tracefs.Origin{}}
	for i := range mostSeries + 100 {
		x.Call(&call.Call{Trace: trace, Func: &call.Func{Name: "f"}, Time: uint64(i), Wall: 1, TID: i})
	}
	x.End(trace)
	x.Close(nil)
	var overflow []*common.KeyValue
	points := r.metrics[0].ResourceMetrics[0].ScopeMetrics[0].Metrics
	for _, p := range points[1].GetSum().DataPoints {
		if attr(p.Attributes, "otel.metric.overflow") != "" {
			overflow = p.Attributes
			if p.GetAsInt() != 100 {
				t.Errorf("%v", p)
			}
		}
	}
	if len(overflow) != 1 || x.series != 0 || strings.Count(warned.String(), "otel.metric.overflow") != 1 {
		t.Errorf("%v, %d series remain, %s", overflow, x.series, warned.String())
	}
}

func TestTemporality(t *testing.T) {
	for value, want := range map[string]string{"": "false <nil>", "cumulative": "false <nil>", "delta": "true <nil>", "lowmemory": "true <nil>",
		"x": `false OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE is "x", and not cumulative, delta or lowmemory`} {
		is, err := temporality(func(string) string { return value })
		if got := fmt.Sprint(is, " ", err); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

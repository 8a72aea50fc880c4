package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A summary is what is known of the calls of a function: their number, and that of each error.
type summary struct {
	calls, timed int64
	total        int64 // ns
	errors       map[string]int64
}

// summaries returns those that tsnoop --summary has of a recording, by function.
func summaries(t *testing.T, p programs, name string) map[string]*summary {
	t.Helper()
	all := map[string]*summary{}
	for line := range bytes.Lines(p.run(t, "tsnoop", "replay", "--summary=only", "--json", name)) {
		var l struct {
			Summary   string
			Calls     int64
			TotalNS   int64 `json:"total_ns"`
			Errors    map[string]int64
			Histogram []struct{ Calls int64 }
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		if l.Summary == "" {
			continue
		}
		s := get(all, l.Summary)
		s.calls += l.Calls
		s.total += l.TotalNS
		for _, h := range l.Histogram {
			s.timed += h.Calls
		}
		for name, n := range l.Errors {
			s.errors[name] += n
		}
	}
	return all
}

func get(all map[string]*summary, name string) *summary {
	if all[name] == nil {
		all[name] = &summary{errors: map[string]int64{}}
	}
	return all[name]
}

// A metricsRequest is a line of the Collector's file exporter.
type metricsRequest struct {
	ResourceMetrics []struct {
		ScopeMetrics []struct {
			Metrics []struct {
				Name                 string
				Sum                  struct{ DataPoints []map[string]any }
				ExponentialHistogram struct{ DataPoints []map[string]any }
			}
		}
	}
}

// metrics returns the last sums of lines, by function.
func metrics(t *testing.T, lines []byte) map[string]*summary {
	t.Helper()
	last := map[string]map[string]any{} // points, by series
	d := json.NewDecoder(bytes.NewReader(lines))
	for d.More() {
		var r metricsRequest
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		for _, m := range r.ResourceMetrics[0].ScopeMetrics[0].Metrics {
			for _, p := range append(m.Sum.DataPoints, m.ExponentialHistogram.DataPoints...) {
				last[fmt.Sprint(m.Name, otlpAttributes(p))] = p
			}
		}
	}
	all := map[string]*summary{}
	for _, p := range last {
		a := otlpAttributes(p)
		if a["code.function.name"] == "" {
			continue // of losses
		}
		s := get(all, a["code.function.name"])
		if n, ok := p["asInt"].(string); ok {
			calls, _ := strconv.ParseInt(n, 10, 64)
			s.calls += calls
			if a["error.type"] != "" {
				s.errors[a["error.type"]] += calls
			}
			continue
		}
		timed, _ := strconv.ParseInt(p["count"].(string), 10, 64)
		s.timed += timed
		s.total += int64(math.Round(p["sum"].(float64) * 1e9))
	}
	return all
}

// The sums that the OpenTelemetry Collector receives are those of --summary.
func TestCollectorMetrics(t *testing.T) {
	collector, p := installed(t, "collector"), build(t)
	for _, name := range fleetRecordings(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "got.json")
			url, s := startCollector(t, collector, file)
			p.run(t, "tsnoop-export", "otlp", "--metrics", "10ms", url, name)
			s.stop()
			lines, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, want := metrics(t, lines), summaries(t, p, name)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(summary{})); diff != "" || len(got) == 0 {
				t.Errorf("%s", diff)
			}
		})
	}
}

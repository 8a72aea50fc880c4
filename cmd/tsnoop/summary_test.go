package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A tableLine is a line of a summary in JSON.
type tableLine struct {
	Summary  string
	TS       uint64 `json:"ts_ns"`
	Span     uint64 `json:"span_ns"`
	Interval bool
	Calls    int
	Errors   map[string]int
	Total    uint64 `json:"total_ns"`
	Max      uint64 `json:"max_ns"`

	Histogram []struct{ Calls int }
}

func summaries(t testing.TB, out string) (all []tableLine) {
	t.Helper()
	for line := range strings.Lines(out) {
		var l tableLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if l.Summary != "" {
			all = append(all, l)
		}
	}
	return all
}

// TestReplaySummary holds summaries of the sample against its lines.
func TestReplaySummary(t *testing.T) {
	lines := strings.Count(replayed(t, sampleFile), "\n")
	for _, tt := range []struct {
		name string
		args []string
		want map[string]int // calls
		rest int            // other lines
	}{
		{"only", []string{"--summary=only"}, map[string]int{"seek": 1000, "seekr": 1000}, 0},
		{"beside the lines", []string{"--summary"}, map[string]int{"seek": 1000, "seekr": 1000}, lines},
		{"a count of calls", []string{"--summary=only", "-n", "123"}, map[string]int{"seek": 62, "seekr": 61}, 0},
		{"a choice", []string{"--summary=only", "seekr()"}, map[string]int{"seekr": 1000}, 0},
		{"every interval", []string{"--summary=only", "-i", "1ms"}, map[string]int{"seek": 1000, "seekr": 1000}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := replayed(t, append([]string{"--json", tt.args[0], sampleFile}, tt.args[1:]...)...)
			whole, intervals := map[string]int{}, map[string]int{}
			all := summaries(t, out)
			for _, l := range all {
				if l.Interval {
					intervals[l.Summary] += l.Calls
				} else {
					whole[l.Summary] += l.Calls
				}
			}
			if diff := cmp.Diff(tt.want, whole); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if rest := strings.Count(out, "\n") - len(all) - strings.Count(out, `{"origin":`); rest != tt.rest {
				t.Errorf("%d other lines, want %d", rest, tt.rest)
			}
			if tt.name != "every interval" {
				return
			}
			for name, n := range intervals { // the last one is never over
				if n < 700 || n > 1000 {
					t.Errorf("%s: %d calls in intervals, and %d in all", name, n, whole[name])
				}
			}
			checkIntervals(t, all, 1e6)
		})
	}
}

// checkIntervals checks that one interval begins where another ends, and that
// all are so many ns long.
func checkIntervals(t *testing.T, all []tableLine, length uint64) {
	t.Helper()
	last := map[string]uint64{}
	for _, l := range all {
		if !l.Interval {
			continue
		}
		if l.Span != length || last[l.Summary] != 0 && (l.TS-last[l.Summary])%length != 0 {
			t.Errorf("%s: an interval of %d ns until %d, after one until %d", l.Summary, l.Span, l.TS, last[l.Summary])
		}
		last[l.Summary] = l.TS
	}
	if len(last) == 0 {
		t.Error("no intervals")
	}
}

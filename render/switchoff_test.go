package render_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/render/text"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

func TestSwitchedOff(t *testing.T) {
	for _, tt := range []struct {
		tracefs.SwitchOff
		want string
	}{
		{tracefs.SwitchOff{Func: "f", Module: "m\n", Spec: "m:f(\"\x1b[2J\")", Time: 1<<64 - 1, Rate: 16102, Limit: 10},
			`{"switched_off":"f","module":"m\n","spec":"m:f(\"\u001b[2J\")","ts_ns":18446744073709551615,"rate":16102,"max_rate":10}`},
		{tracefs.SwitchOff{Func: "f", Spec: "f"}, `{"switched_off":"f","spec":"f","ts_ns":0}`},
	} {
		if got := string(json.New(nil, render.Options{}).SwitchedOff(nil, &tt.SwitchOff)); got != tt.want+"\n" {
			t.Errorf("got  %swant %s", got, tt.want)
		}
		if got := text.New(nil, render.Options{}).SwitchedOff(nil, &tt.SwitchOff); len(got) > 0 {
			t.Errorf("in text it is %q", got)
		}
	}
}

// TestSummarySwitchedOff: a function that was switched off is not shown as one without calls,
// neither in the period when that happened nor later.
func TestSummarySwitchedOff(t *testing.T) {
	sources := []render.Source{newSource("f", "", newProbe(false), nil), newSource("g", "", newProbe(false), nil)}
	sums := make([]sum.Sum, 2)
	sums[1].Add(&calls.Call{Entry: &tracefs.Event{}}, 0)
	called := []sum.Sum{sums[1], sums[1]}
	off := func(p *plan.Plan, _, to uint64) *tracefs.SwitchOff {
		if p != sources[0].Plan || to <= 3e9 {
			return nil
		}
		return &tracefs.SwitchOff{Time: 3e9}
	}
	const head = "FUNCTION  CALLS  TOTAL  MEAN  P50  P99  MAX  ERRORS\n"
	const f = `{"summary":"f",`
	for _, tt := range []struct {
		name        string
		sums        []sum.Sum
		what        sum.Summary
		first, last string // row, and line beneath the table
		json        string
	}{
		{"before", called, sum.Summary{From: 2e9, To: 3e9, Interval: true}, "f             1", "", `"calls":1}`},
		{"then", called, sum.Summary{From: 2e9, To: 4e9, Interval: true}, "f             1",
			"f was switched off after 1.00s (--max-rate): its later calls are not counted.\n", `"calls":1,"switched_off_ns":3000000000}`},
		{"then, without calls", sums, sum.Summary{From: 2e9, To: 4e9, Interval: true}, "f             0",
			"f was switched off after 1.00s (--max-rate): its later calls are not counted.\n", `"calls":0,"switched_off_ns":3000000000}`},
		{"later", sums, sum.Summary{From: 4e9, To: 5e9, Interval: true}, "f             -",
			"f is switched off (--max-rate): its calls are not counted.\n", `"calls":0,"switched_off_ns":3000000000}`},
		{"all of a recording, whose last call was before", called, sum.Summary{From: 1e9, To: 2.5e9, Final: true}, "f             1",
			"f was switched off after 2.00s (--max-rate): its later calls are not counted.\n", `"calls":1,"switched_off_ns":3000000000}`},
		{"so far", called, sum.Summary{From: 1e9, To: 2.5e9}, "f             1", "", `"calls":1}`},
	} {
		tt.what.Sums, tt.what.Alone, tt.what.Width, tt.what.SwitchedOff = tt.sums, true, 80, off
		got := string(text.New(sources, render.Options{}).Summary(nil, &tt.what))
		_, got, _ = strings.Cut(got, "\n")
		const rest = "      -     -    -    -    -  -\n"
		if diff := cmp.Diff(head+tt.first+rest+"g             1"+rest+tt.last, got); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", tt.name, diff)
		}
		got = string(json.New(sources, render.Options{}).Summary(nil, &tt.what))
		first, second, _ := strings.Cut(got, "\n")
		if !strings.HasPrefix(first, f) || !strings.HasSuffix(first, tt.json) || strings.Contains(second, "off") {
			t.Errorf("%s: %swant %s", tt.name, got, tt.json)
		}
	}
}

// TestSummarySwitchedOffGlob: a function that nobody named, and that is not called, has a row
// if it was switched off, and a heat map says once when that was.
func TestSummarySwitchedOffGlob(t *testing.T) {
	sources, _ := summed()
	sources = sources[len(sources)-1:] // the event, which is like a function of a glob
	off := func(*plan.Plan, uint64, uint64) *tracefs.SwitchOff { return &tracefs.SwitchOff{Time: 3e9} }
	for _, heat := range []bool{false, true} {
		p := text.New(sources, render.Options{})
		var got []string
		for _, from := range []uint64{2e9, 4e9} {
			what := sum.Summary{Sums: make([]sum.Sum, 1), From: from, To: from + 2e9, Interval: true, Heat: heat, Width: 80, SwitchedOff: off}
			got = append(got, string(p.Summary(nil, &what)))
		}
		first := strings.Contains(got[0], "sched_switch was switched off after 1.00s (--max-rate)")
		second := strings.Contains(got[1], "sched_switch is switched off (--max-rate)")
		if !first || second == heat {
			t.Errorf("heat %v: %q", heat, got)
		}
	}
}

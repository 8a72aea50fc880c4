package render_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/render/text"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// summed are sources and what their calls came to.
func summed() ([]render.Source, []sum.Sum) {
	ret := func(t btf.Type) *record { return newProbe(true).number("return", t, 0) }
	sources := []render.Source{
		newSource("vfs_read", "", newProbe(false), ret(ssize)),
		newSource("do_sys_openat2", "", newProbe(false), ret(cLong)),
		newSource("ext4_sync", "ext4", newProbe(false), nil),
		newSource("never", "", newProbe(false), ret(cInt)),
		newSource("seek", "", newProbe(false), ret(cInt)),
		newSource("seek", "", newProbe(false), ret(cUlong)),
		{Plan: plan.FromEvent("sched", "sched_switch", nil, abi.Named("amd64"))},
	}
	for i := range sources {
		if sources[i].Plan.Spec == nil {
			sources[i].Plan.Spec = &spec.Spec{Text: sources[i].Plan.Func.Name}
		}
	}
	sources[4].Plan.Spec.Text = "seek(\x1b[2J)"
	sources[5].Plan.Spec.Text = "seek(x)"

	sums := make([]sum.Sum, len(sources))
	e := &tracefs.Event{}
	add := func(i, times int, ns uint64, errno int) {
		for range times {
			sums[i].Add(&calls.Call{Entry: e, Return: e, Duration: ns}, errno)
		}
	}
	add(0, 1000, 700, 0)
	add(0, 300, 1500, 0)
	add(0, 20, 2300, 4)
	add(0, 1, 40_000, 512)
	add(1, 17, 12_345, 2)
	add(1, 5, 9_000, 13)
	add(1, 2, 2_000_000, 0)
	sums[1].Add(&calls.Call{Entry: e, Unfinished: true}, 0)
	sums[1].Add(&calls.Call{Entry: e, Unfinished: true}, 0)
	sums[1].Add(&calls.Call{Return: e, Orphan: true}, 600)
	sums[2].Add(&calls.Call{Entry: e}, 0)
	add(4, 1, 0, 0)
	add(5, 3, 1, 0)
	return sources, sums
}

func TestSummary(t *testing.T) {
	sources, sums := summed()
	p := text.New(sources, render.Options{Start: 5e9})
	got := string(p.Summary(nil, &sum.Summary{Sums: sums, Alone: true, Width: 60, From: 5e9, To: 17.345e9, Final: true}))
	want := `Summary of all 12.3s
FUNCTION        CALLS   TOTAL   MEAN     P50     P99     MAX  ERRORS
do_sys_openat2     27  4.25ms  177us  12.5us  2.00ms  2.00ms  17 ENOENT, 5 EACCES, 1 600
vfs_read         1321  1.24ms  935ns   700ns  2.24us  40.0us  20 EINTR, 1 ERESTARTSYS
seek(x)             3     3ns    1ns     1ns     1ns     1ns  -
ext4_sync           1       -      -       -       -       -  -
never               0       -      -       -       -       -
seek(\x1b[2J)       1     0ns    0ns     0ns     0ns     0ns

do_sys_openat2, without 2 that did not return and 1 whose entry was not seen
  [8.19us, 16.4us)  22 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
  [16.4us, 32.8us)   0 |                                   |
  [32.8us, 65.5us)   0 |                                   |
  [65.5us, 131us)    0 |                                   |
  [131us, 262us)     0 |                                   |
  [262us, 524us)     0 |                                   |
  [524us, 1.05ms)    0 |                                   |
  [1.05ms, 2.10ms)   2 |@@@                                |

vfs_read
  [512ns, 1.02us)   1000 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
  [1.02us, 2.05us)   300 |@@@@@@@@@@                       |
  [2.05us, 4.10us)    20 |@                                |
  [4.10us, 8.19us)     0 |                                 |
  [8.19us, 16.4us)     0 |                                 |
  [16.4us, 32.8us)     0 |                                 |
  [32.8us, 65.5us)     1 |@                                |

seek(x)
  [1ns, 2ns)  3 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|

seek(\x1b[2J)
  [0ns, 1ns)  1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for line := range strings.Lines(got) {
		if strings.Contains(line, "|") && len(line) != 60+len("\n") {
			t.Errorf("not 60 columns: %s", line)
		}
	}
}

func TestSummaryPeriods(t *testing.T) {
	for _, tt := range []struct {
		when sum.Summary
		want string
	}{
		{sum.Summary{Alone: true, From: 1e9, To: 2e9, Interval: true}, "Summary of the last 1.00s\nno calls\n"},
		{sum.Summary{Alone: true, From: 1e9, To: 2.5e9}, "Summary of all 1.50s so far\nno calls\n"},
		{sum.Summary{Alone: true, From: 2e9, To: 1e9, Final: true}, "Summary of all 0ns\nno calls\n"}, // no clock is to be trusted
		{sum.Summary{From: 1e9, To: 2e9}, "\nSummary of all 1.00s so far\nno calls\n\n"},
		{sum.Summary{From: 1e9, To: 2e9, Final: true}, "\nSummary of all 1.00s\nno calls\n"},
	} {
		p := text.New(nil, render.Options{})
		if got := string(p.Summary(nil, &tt.when)); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.when, got, tt.want)
		}
	}
}

func TestJSONSummary(t *testing.T) {
	sources, sums := summed()
	p := json.New(sources, render.Options{Color: true})
	got := string(p.Summary(nil, &sum.Summary{Sums: sums, Alone: true, Width: 60, From: 5e9, To: 17.345e9}))
	want := `{"summary":"do_sys_openat2","ts_ns":17345000000,"span_ns":12345000000,"calls":27,"errors":{"ENOENT":17,"EACCES":5,"600":1},` +
		`"orphans":1,"unfinished":2,"total_ns":4254865,"mean_ns":177286,"min_ns":9000,"max_ns":2000000,"p50_ns":12544,"p99_ns":2000000,` +
		`"histogram":[{"from_ns":8192,"to_ns":16384,"calls":22},{"from_ns":1048576,"to_ns":2097152,"calls":2}]}
{"summary":"vfs_read","ts_ns":17345000000,"span_ns":12345000000,"calls":1321,"errors":{"EINTR":20,"ERESTARTSYS":1},` +
		`"total_ns":1236000,"mean_ns":935,"min_ns":700,"max_ns":40000,"p50_ns":700,"p99_ns":2240,` +
		`"histogram":[{"from_ns":512,"to_ns":1024,"calls":1000},{"from_ns":1024,"to_ns":2048,"calls":300},` +
		`{"from_ns":2048,"to_ns":4096,"calls":20},{"from_ns":32768,"to_ns":65536,"calls":1}]}
{"summary":"seek","spec":"seek(x)","ts_ns":17345000000,"span_ns":12345000000,"calls":3,` +
		`"total_ns":3,"mean_ns":1,"min_ns":1,"max_ns":1,"p50_ns":1,"p99_ns":1,"histogram":[{"from_ns":1,"to_ns":2,"calls":3}]}
{"summary":"ext4_sync","module":"ext4","ts_ns":17345000000,"span_ns":12345000000,"calls":1}
{"summary":"never","ts_ns":17345000000,"span_ns":12345000000,"calls":0,"errors":{}}
{"summary":"seek","spec":"seek(\u001b[2J)","ts_ns":17345000000,"span_ns":12345000000,"calls":1,"errors":{},` +
		`"total_ns":0,"mean_ns":0,"min_ns":0,"max_ns":0,"p50_ns":0,"p99_ns":0,"histogram":[{"from_ns":0,"to_ns":1,"calls":1}]}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for line := range strings.Lines(got) {
		if !valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
}

// TestSummaryColors: a coloured table has the same columns.
func TestSummaryColors(t *testing.T) {
	sources, sums := summed()
	what := &sum.Summary{Sums: sums, To: 1e9, Alone: true, Width: 80}
	plain := text.New(sources, render.Options{}).Summary(nil, what)
	colored := string(text.New(sources, render.Options{Color: true}).Summary(nil, what))
	colored = regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(colored, "")
	if diff := cmp.Diff(string(plain), colored); diff != "" {
		t.Errorf("(-plain +coloured):\n%s", diff)
	}
}

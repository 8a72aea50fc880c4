package hitcost

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/tracefs"
)

var known = rates{trap: 1000, entry: 500, back: 2000, value: 10, read: 50, text: 200}

// TestRates finds the rates of calls that take as long as these say, also if the host was half
// as fast for one of the stages. If no stage added anything, the rates are 0.
func TestRates(t *testing.T) {
	adds := [len(stages)]float64{
		first: 1000 + 500, further: 500, returns: 2000, values: 500 + 16*10, reads: 500 + 16*(10+8*50), texts: 500 + 8*(10+200),
	}
	var calls [len(stages)]took
	sum := 300.0
	for i, add := range adds {
		sum += add
		calls[i] = took{probed: sum, without: 300}
	}
	equal := cmp.Options{cmp.AllowUnexported(rates{}), cmpopts.EquateApprox(1e-9, 1e-6)}
	if diff := cmp.Diff(known, ratesOf(added(calls)), equal); diff != "" {
		t.Errorf("rates (-want +got)\n%s", diff)
	}
	calls[reads].probed, calls[reads].without = 2*calls[reads].probed, 600
	if diff := cmp.Diff(known, ratesOf(added(calls)), equal); diff != "" {
		t.Errorf("rates of a slow stage (-want +got)\n%s", diff)
	}
	for i := range calls {
		calls[i].probed = calls[0].probed
	}
	calls[reads].without = 300
	if diff := cmp.Diff(rates{trap: 1500}, ratesOf(added(calls)), equal); diff != "" {
		t.Errorf("rates without differences (-want +got)\n%s", diff)
	}
}

func TestArg(t *testing.T) {
	hops := func(n int) []dynevent.Hop { return make([]dynevent.Hop, n) }
	for _, tt := range []struct {
		arg  dynevent.Arg
		want float64
	}{
		{dynevent.Arg{Base: dynevent.Base{Kind: dynevent.ArgN, N: 1}, Type: dynevent.X64}, 10},
		{dynevent.Arg{Base: dynevent.Base{Kind: dynevent.ArgN, N: 1}, Hops: hops(1), Type: dynevent.X64}, 60},
		{dynevent.Arg{Base: dynevent.Base{Kind: dynevent.ArgN, N: 1}, Hops: hops(3), Type: dynevent.X64}, 160},
		{dynevent.Arg{Base: dynevent.Base{Kind: dynevent.ArgN, N: 1}, Hops: hops(3), Type: dynevent.String}, 310},
		{dynevent.Arg{Base: dynevent.Base{Kind: dynevent.ArgN, N: 1}, Hops: hops(2), Type: dynevent.X64, Count: 4}, 260},
		{dynevent.Arg{Base: dynevent.Base{Kind: dynevent.Memory, Name: "jiffies"}, Type: dynevent.X64}, 60},
		{dynevent.Arg{Base: dynevent.Base{Kind: dynevent.Comm}, Type: dynevent.CommText}, 210},
	} {
		if got := known.arg(tt.arg); got != tt.want {
			t.Errorf("%s: %v ns, want %v", tt.arg, got, tt.want)
		}
	}
}

// tracing returns a plan of the function with a probe for each side.
func tracing(name string, sides ...dynevent.Side) *plan.Plan {
	p := &plan.Plan{Spec: &spec.Spec{Func: spec.Name{Text: name}}}
	for _, side := range sides {
		kind := dynevent.Kprobe
		if side == dynevent.Return {
			kind = dynevent.Kretprobe
		}
		p.Probes = append(p.Probes, &plan.Probe{Plan: p, Kind: kind, Side: side, Symbols: []string{name}, Event: name + "_" + side.String()})
	}
	return p
}

func TestWords(t *testing.T) {
	one, pair := tracing("f", dynevent.Entry), tracing("g", dynevent.Entry, dynevent.Return)
	same := tracing("f", dynevent.Return)
	hits := map[string]tracefs.Hits{"f_entry": {Hits: 1}, "g_entry": {Hits: 2000}, "g_return": {Hits: 1000}, "f_return": {Hits: 10_000}}
	all := &Costs{traced: known, took: 12 * time.Millisecond}
	some := &Costs{traced: known, skipped: rates{trap: 300, entry: 100, back: 400}, pids: true, took: 24 * time.Millisecond}
	for _, tt := range []struct {
		costs *Costs
		plan  *plan.Plan
		want  string
	}{
		{all, one, "about 1.5 us a call on this host, an estimate from test probes measured in 12 ms"},
		{all, pair, "about 3.5 us a call on this host, an estimate from test probes measured in 12 ms"},
		{some, pair, "about 3.5 us a call on this host, 0.8 us if the task is not traced, an estimate from test probes measured in 24 ms"},
	} {
		if got := tt.costs.OfCall(tt.plan); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	for _, tt := range []struct {
		costs *Costs
		plans []*plan.Plan
		want  []string
	}{
		{all, []*plan.Plan{one}, []string{"cost of f: 1 hit, about 1.5 us each, 1.5 us of processor time, an estimate from test probes measured in 12 ms"}},
		{all, []*plan.Plan{pair}, []string{"cost of g: 2000 hits, about 2.5 us each, 5.0 ms of processor time, an estimate from test probes measured in 12 ms"}},
		{all, []*plan.Plan{one, same}, []string{
			"cost of f: 1 hit, about 1.5 us each, 1.5 us of processor time",
			"cost of f: 10000 hits, about 2.0 us each, 20 ms of processor time",
			"cost of all functions: 10001 hits, about 2.0 us each, 20 ms of processor time, an estimate from test probes measured in 12 ms",
		}},
		{some, []*plan.Plan{pair}, []string{"cost of g: 2000 hits by all tasks, 0.6 us to 2.5 us each, 1.2 ms to 5.0 ms of processor time, an estimate from test probes measured in 24 ms"}},
	} {
		if diff := cmp.Diff(tt.want, tt.costs.OfHits(&Hits{tt.plans, hits})); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// TestWordsOfMany: only some of many functions have a line of their own.
func TestWordsOfMany(t *testing.T) {
	plans := slices.Repeat([]*plan.Plan{tracing("f", dynevent.Entry)}, 100)
	lines := (&Costs{traced: known}).OfHits(&Hits{plans, map[string]tracefs.Hits{"f_entry": {Hits: 1}}})
	if len(lines) != mostPlans+1 {
		t.Errorf("%d lines:\n%q", len(lines), lines)
	}
}

func TestFigures(t *testing.T) {
	for _, tt := range []struct {
		ns   float64
		want string
	}{{0, "0.1 us"}, {9940, "9.9 us"}, {9960, "10 us"}, {999_000, "999 us"}, {1e6, "1.0 ms"}, {9.96e6, "10 ms"}, {123e6, "123 ms"}, {1.26e9, "1.3 s"}} {
		if got := duration(tt.ns); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.ns, got, tt.want)
		}
	}
}

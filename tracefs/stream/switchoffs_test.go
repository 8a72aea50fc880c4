package stream

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/tracefs"
)

// planOf returns a plan without probes.
func planOf(t *testing.T, text string) *plan.Plan {
	t.Helper()
	s, err := spec.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return &plan.Plan{Spec: s}
}

// TestLimited: calls are missing from the time when a plan was switched off because of its
// events until it is switched on again, and none because a user took it away.
func TestLimited(t *testing.T) {
	now := uint64(0)
	p, other := planOf(t, "f(x)"), planOf(t, "g(x)")
	s := NewSpans(func() uint64 { now += 10; return now }, nil)
	missing := func(from, to uint64) (at uint64) {
		if o := s.SwitchedOff(p, from, to); o != nil {
			at = o.Time
		}
		return at
	}
	if missing(0, math.MaxUint64) != 0 {
		t.Error("missing before anything was switched off")
	}
	s.Close([]*plan.Plan{p, other}) // at 10
	s.Open([]*plan.Plan{p, other})  // at 20
	if missing(0, math.MaxUint64) != 0 {
		t.Error("missing because the user took it away")
	}
	s.Close([]*plan.Plan{p}) // at 30
	s.Limit([]*plan.Plan{p}, 300, 200)
	s.Open([]*plan.Plan{p}) // at 40
	for _, tt := range []struct{ from, to, want uint64 }{
		{0, 30, 0}, {0, 31, 30}, {35, 36, 30}, {39, 100, 30}, {40, 100, 0}, {0, math.MaxUint64, 30},
	} {
		if at := missing(tt.from, tt.to); at != tt.want {
			t.Errorf("from %d to %d: missing since %d, want %d", tt.from, tt.to, at, tt.want)
		}
	}
	all, of := s.save([]*plan.Plan{other, p})
	loaded := NewSpans(nil, nil)
	plans := []*plan.Plan{planOf(t, "g(x)"), planOf(t, "f(x)")}
	loaded.load(plans, all, of)
	want := []tracefs.SwitchOff{{Func: "f", Spec: "f(x)", Name: "f", Time: 30, Rate: 300, Limit: 200}}
	if diff := cmp.Diff(want, loaded.SwitchOffs(plans, plans)); diff != "" {
		t.Errorf("loaded: %s", diff)
	}
	if (*Spans)(nil).SwitchOffs([]*plan.Plan{p}, nil) != nil {
		t.Error("no spans, and something was switched off")
	}
}

// TestSwitchOffNames: what was switched off has the name that the user wrote, and where that
// does not tell it from others, the spec.
func TestSwitchOffNames(t *testing.T) {
	event := planOf(t, "sched:sched_switch(next_pid)")
	module := planOf(t, "ext4:ext4_sync()")
	one, two := planOf(t, "f(a)"), planOf(t, "f(b, return)")
	since := planOf(t, "h(since(p, k(p)))")
	since.Clocks = []plan.Clock{{Name: "c"}}
	starts := planOf(t, "k(p)")
	starts.Starts = "c"
	plans := []*plan.Plan{event, module, one, two, since, starts}
	s := NewSpans(func() uint64 { return 7 }, nil)
	s.Close(plans)
	s.Limit(plans, 300, 200)
	off := tracefs.SwitchOff{Time: 7, Rate: 300, Limit: 200}
	var want []tracefs.SwitchOff
	for _, o := range []tracefs.SwitchOff{
		{Func: "sched_switch", Module: "sched", Spec: "sched:sched_switch(next_pid)", Name: "sched:sched_switch"},
		{Func: "ext4_sync", Module: "ext4", Spec: "ext4:ext4_sync()", Name: "ext4:ext4_sync"},
		{Func: "f", Spec: "f(a)", Name: "f(a)"},
		{Func: "f", Spec: "f(b, return)", Name: "f(b, return)"},
		{Func: "h", Spec: "h(since(p, k(p)))", Name: "h(since(p, k(p)))"},
	} {
		o.Time, o.Rate, o.Limit = off.Time, off.Rate, off.Limit
		want = append(want, o)
	}
	if diff := cmp.Diff(want, s.SwitchOffs(plans, plans)); diff != "" {
		t.Error(diff)
	}
}

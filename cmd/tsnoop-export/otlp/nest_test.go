package otlp

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/tracefs"
)

// A model is a call with the calls that it has made.
type model struct {
	call   *call.Call
	parent *model
}

// trees makes random calls of some tasks, in the order in which they end.
func trees(random *rand.Rand, trace *call.Trace, tasks, most int) (all []*model) {
	for tid := range tasks {
		now := uint64(1000)
		var grow func(parent *model, depth int)
		grow = func(parent *model, depth int) {
			for range random.IntN(4) {
				if len(all) >= most*(tid+1) {
					return
				}
				now += 1 + random.Uint64N(100)
				m := &model{parent: parent}
				name := fmt.Sprintf("f%d", random.IntN(5))
				m.call = &call.Call{Trace: trace, Func: &call.Func{Name: name}, Time: now, TID: tid, CPU: 1, PID: -1, Caller: fmt.Sprint(len(all))}
				if random.IntN(4) == 0 { // an event
					all = append(all, m)
					continue
				}
				if depth < 6 {
					grow(m, depth+1)
				}
				now += 1 + random.Uint64N(100)
				c := m.call
				c.Ended, c.End, c.Timed, c.Duration = true, now, true, now-c.Time
				all = append(all, m)
			}
		}
		for len(all) < most*(tid+1) {
			grow(nil, 0)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return ends(all[i].call) < ends(all[j].call) })
	for i, m := range all {
		m.call.Wall = 1<<60 + int64(m.call.Time)
		m.call.Comm = fmt.Append(nil, i)
	}
	return all
}

func ends(c *call.Call) uint64 { return max(c.Time, c.End) }

// The parent of a call is the one that has made it, in one trace with all that its root has made. If
// calls cannot wait so long, each parent is right that is there, and what is missing is counted.
func TestNesting(t *testing.T) {
	for _, tt := range []struct {
		nest time.Duration
		most int
		all  bool
	}{{time.Hour, mostWaiting, true}, {300, mostWaiting, false}, {time.Hour, 5000, false}, {0, mostWaiting, false}} {
		t.Run(fmt.Sprint(tt.nest, tt.most), func(t *testing.T) {
			for n := range uint64(20) {
				random := rand.New(rand.NewPCG(n, 1))
				trace := &call.Trace{Origin: &tracefs.Origin{Host: "h"}}
				all := trees(random, trace, 1+random.IntN(5), 200)
				r := &received{t: t}
				var warned strings.Builder
				x := newExporter(output.To{Context: t.Context(), Warn: func(f string, args ...any) { fmt.Fprintf(&warned, f, args...) }}, Options{Nest: tt.nest}, r, nil)
				x.most = tt.most
				for _, m := range all {
					if err := x.Call(m.call); err != nil {
						t.Fatal(err)
					}
					if x.waiting > tt.most {
						t.Fatalf("%d bytes wait", x.waiting)
					}
				}
				if err := x.End(trace); err != nil || x.waiting != 0 {
					t.Fatal(err, x.waiting)
				}
				x.Close(nil)
				missing := check(t, all, r)
				if tt.all && missing > 0 {
					t.Errorf("%d parents are missing", missing)
				}
				if (warned.Len() > 0) != (missing > 0 && tt.nest > 0) {
					t.Errorf("%d parents are missing, and the warning is %q", missing, warned.String())
				}
			}
		})
	}
}

// check compares parents and traces with the model, and returns how many parents are missing.
func check(t *testing.T, all []*model, r *received) (missing int) {
	t.Helper()
	type ids struct{ span, parent, trace string }
	got := map[string]ids{} // by comm
	for _, s := range r.spans {
		got[attr(s.Attributes, "thread.name")] = ids{string(s.SpanId), string(s.ParentSpanId), string(s.TraceId)}
	}
	for _, l := range r.records {
		got[attr(l.Attributes, "thread.name")] = ids{"", string(l.SpanId), string(l.TraceId)}
	}
	if len(got) != len(all) {
		t.Fatalf("%d calls of %d", len(got), len(all))
	}
	for _, m := range all {
		is := got[string(m.call.Comm)]
		switch {
		case m.parent == nil && is.parent != "":
			t.Fatalf("%s has a parent", m.call.Comm)
		case m.parent == nil:
		case is.parent == "":
			missing++
		default:
			if p := got[string(m.parent.call.Comm)]; p.span != is.parent || p.trace != is.trace {
				t.Fatalf("%s has the wrong parent or trace", m.call.Comm)
			}
		}
	}
	return missing
}

// Two specs that see one call of a function are beside each other, below the same parent.
func TestTwoSpecs(t *testing.T) {
	r, _ := exported(t, `
{"ts_ns":30,"cpu":0,"tid":7,"func":"g","caller":"f","duration_ns":5,"end_ns":35}
{"ts_ns":21,"cpu":0,"tid":7,"func":"f","caller":"e","args":[{"name":"b","value":1}],"duration_ns":18,"end_ns":39}
{"ts_ns":20,"cpu":0,"tid":7,"func":"f","caller":"e","args":[{"name":"a","value":1}],"duration_ns":20,"end_ns":40}
{"ts_ns":10,"cpu":0,"tid":7,"func":"e","caller":"d","duration_ns":40,"end_ns":50}
`, Options{Nest: time.Second})
	if len(r.spans) != 4 {
		t.Fatal(len(r.spans))
	}
	g, b, a, e := r.spans[0], r.spans[1], r.spans[2], r.spans[3]
	if string(g.ParentSpanId) != string(b.SpanId) || string(a.ParentSpanId) != string(e.SpanId) || string(b.ParentSpanId) != string(e.SpanId) || len(e.ParentSpanId) > 0 {
		t.Errorf("%s", r.dump())
	}
}

// The idle threads of all CPUs have the number 0, and are not one task.
func TestIdle(t *testing.T) {
	r, _ := exported(t, `
{"ts_ns":30,"cpu":0,"tid":0,"func":"g","duration_ns":5,"end_ns":35}
{"ts_ns":20,"cpu":1,"tid":0,"func":"f","duration_ns":20,"end_ns":40}
`, Options{Nest: time.Second})
	if len(r.spans[0].ParentSpanId) > 0 {
		t.Errorf("%s", r.dump())
	}
}

// Tasks that are over are forgotten, also if there are many.
func TestManyTasks(t *testing.T) {
	x := newExporter(output.To{Context: t.Context()}, Options{Nest: 10}, discard{}, nil)
	trace := &call.Trace{Origin: &tracefs.Origin{}}
	for i := range 300_000 {
		x.Call(&call.Call{Trace: trace, Func: &call.Func{Name: "f"}, Time: uint64(i), Wall: 1, TID: 1 + i*7%200_000, Timed: true})
	}
	if n := len(x.sources[trace].nest.tasks); n > 1<<16 || x.waiting > 20*1000 {
		t.Errorf("%d tasks, %d bytes", n, x.waiting)
	}
}

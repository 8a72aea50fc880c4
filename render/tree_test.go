package render_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/render/text"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A treeScene makes calls of two functions: f(a), which returns, and g().
type treeScene struct {
	sources  []render.Source
	in, out  *record
	now      uint64
	lastCall uint64
}

func newTreeScene() *treeScene {
	s := &treeScene{in: newProbe(false).number("a", cInt, 5).comm("cat"), out: newProbe(true).number("return", cInt, 1<<32-2)}
	empty, void := newProbe(false), newProbe(true)
	s.sources = []render.Source{newSource("f", "", s.in, s.out), newSource("g", "", empty, void)}
	return s
}

func (s *treeScene) event(r *record, tid int) *tracefs.Event {
	s.now += 1000
	return r.event(s.now, 0, tid)
}

// begin is a call of plan 0 that begins.
func (s *treeScene) begin(tid, depth int) *calls.Call {
	s.lastCall++
	return &calls.Call{Entry: s.event(s.in, tid), Begun: true, ID: s.lastCall, Depth: depth}
}

// end is its end.
func (s *treeScene) end(c *calls.Call) *calls.Call {
	return &calls.Call{Entry: c.Entry, Return: s.event(s.out, c.Entry.TID), Duration: s.now - c.Entry.Time, ID: c.ID, Depth: c.Depth}
}

func show(s render.Sink, dst []byte, c *calls.Call) []byte {
	if c.Begun {
		return s.Begin(dst, c)
	}
	return s.End(dst, c)
}

func TestTree(t *testing.T) {
	tests := []struct {
		name  string
		calls func(s *treeScene) []*calls.Call
		want  string
	}{
		{"a leaf", func(s *treeScene) []*calls.Call {
			a := s.begin(7, 0)
			return []*calls.Call{a, s.end(a)}
		}, `
   0.000001   0 cat-7              f(a=5) = -2 (ENOENT) <1.00us>
`},
		{"nested", func(s *treeScene) []*calls.Call {
			a, b := s.begin(7, 0), s.begin(7, 1)
			c := s.begin(7, 2)
			return []*calls.Call{a, b, c, s.end(c), s.end(b), s.end(a)}
		}, `
   0.000001   0 cat-7              f(a=5) {
   0.000002   0 cat-7                f(a=5) {
   0.000003   0 cat-7                  f(a=5) = -2 (ENOENT) <1.00us>
   0.000005   0 cat-7                } = -2 (ENOENT) <3.00us>  // f
   0.000006   0 cat-7              } = -2 (ENOENT) <5.00us>  // f
`},
		{"two tasks", func(s *treeScene) []*calls.Call {
			a, b := s.begin(7, 0), s.begin(8, 0)
			return []*calls.Call{a, b, s.end(b), s.end(a)}
		}, `
   0.000001   0 cat-7              f(a=5) {
                ---- cat-7 => cat-8 ----
   0.000002   0 cat-8              f(a=5) = -2 (ENOENT) <1.00us>
                ---- cat-8 => cat-7 ----
   0.000004   0 cat-7              } = -2 (ENOENT) <3.00us>  // f
`},
		{"two tasks, neither in the middle of a call", func(s *treeScene) []*calls.Call {
			a := s.begin(7, 0)
			z := s.end(a)
			b := s.begin(8, 0)
			return []*calls.Call{a, z, b, s.end(b)}
		}, `
   0.000001   0 cat-7              f(a=5) = -2 (ENOENT) <1.00us>
   0.000003   0 cat-8              f(a=5) = -2 (ENOENT) <1.00us>
`},
		{"no end, and no beginning", func(s *treeScene) []*calls.Call {
			a := s.begin(7, 0)
			never := *a
			never.Begun, never.Unfinished = false, true
			orphan := &calls.Call{Return: s.event(s.out, 9), Orphan: true}
			return []*calls.Call{a, &never, orphan}
		}, `
   0.000001   0 cat-7              f(a=5) = ?
   0.000002   0 old-9              f(entry not seen) = -2 (ENOENT)
`},
		{"a beginning that is the last", func(s *treeScene) []*calls.Call {
			return []*calls.Call{s.begin(7, 0), s.begin(7, 1)}
		}, `
   0.000001   0 cat-7              f(a=5) {
   0.000002   0 cat-7                f(a=5) {
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newTreeScene()
			sink := text.New(s.sources, render.Options{})
			got := []byte("\n")
			for _, c := range tt.calls(s) {
				got = show(sink, got, c)
			}
			if diff := cmp.Diff(tt.want, string(sink.Idle(got))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if rest := sink.Idle(nil); rest != nil {
				t.Errorf("shown again: %q", rest)
			}
		})
	}
}

func TestTreeJSON(t *testing.T) {
	s := newTreeScene()
	sink := json.New(s.sources, render.Options{})
	a, b := s.begin(7, 0), s.begin(7, 1)
	var got []byte
	for _, c := range []*calls.Call{a, b, s.end(b), s.end(a)} {
		got = show(sink, got, c)
	}
	const task = `"cpu":0,"pid":null,"tid":7,"comm":"cat","func":"f"`
	const args = `"args":[{"name":"a","type":"int","value":5}]`
	const ret = `"ret":{"type":"int","value":-2,"errno":"ENOENT"}`
	want := strings.Join([]string{
		`{"ts_ns":1000,` + task + `,"call":1,"depth":0,"part":"begin",` + args + `}`,
		`{"ts_ns":2000,` + task + `,"call":2,"depth":1,"part":"begin",` + args + `}`,
		`{"ts_ns":2000,` + task + `,"call":2,"depth":1,"part":"end",` + ret + `,"end_ns":3000,"duration_ns":1000}`,
		`{"ts_ns":1000,` + task + `,"call":1,"depth":0,"part":"end",` + ret + `,"end_ns":4000,"duration_ns":3000}`,
	}, "\n") + "\n"
	if diff := cmp.Diff(want, string(sink.Idle(got))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTreeAllocates: nothing, once its memory has grown.
func TestTreeAllocates(t *testing.T) {
	s := newTreeScene()
	sink := text.New(s.sources, render.Options{})
	a, b := s.begin(7, 0), s.begin(8, 1)
	list := []*calls.Call{a, b, s.end(b), s.end(a)}
	dst := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() {
		for _, c := range list {
			dst = show(sink, dst[:0], c)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

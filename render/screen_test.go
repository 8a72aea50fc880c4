package render_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/render/text"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// TestScreen: lines follow the width of the terminal, the column of the task is as wide
// as the tasks so far, and nothing is allocated for a call.
func TestScreen(t *testing.T) {
	in := newProbe(false).number("first_number", cInt, 5).number("second_number", cInt, 6).comm("cat")
	columns := 48
	s := text.NewScreen([]render.Source{newSource("function", "", in, nil)},
		render.Options{Header: true, Time: render.TimeNone, Columns: func() int { return columns }})
	call := func(tid int) *calls.Call { return &calls.Call{Entry: in.event(0, 0, tid)} }
	got := s.Open([]byte("\n"))
	for _, step := range []struct{ columns, tid int }{{48, 7}, {48, 4194303}, {48, 7}, {80, 7}, {0, 7}, {20, 7}} {
		columns = step.columns
		got = s.End(got, call(step.tid))
	}
	if diff := cmp.Diff(`
CPU COMM-TID CALL
  0 cat-7    function(first_number=5,
                 second_number=6)
  0 cat-4194303 function(first_number=5,
                    second_number=6)
  0 cat-7       function(first_number=5,
                    second_number=6)
  0 cat-7       function(first_number=5, second_number=6)
  0 cat-7       function(first_number=5, second_number=6)
  0 cat-7       function(first_number=5, second_number=6)
`, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	columns = 48
	first, second := call(7), call(8)
	if n := testing.AllocsPerRun(100, func() {
		got = s.End(s.End(got[:0], first), second)
	}); n > 0 {
		t.Errorf("%v allocations for two calls", n)
	}
}

// TestScreenTree: however deep calls are, half of a line is left, and it is said how
// many levels are not shown.
func TestScreenTree(t *testing.T) {
	s := newTreeScene()
	screen := text.NewScreen(s.sources, render.Options{Time: render.TimeNone, Columns: func() int { return 48 }})
	var got []byte
	for depth := range 12 {
		got = screen.Begin(got, s.begin(7, depth))
	}
	got = screen.Close(got)
	lines := strings.Split(strings.TrimSpace(string(got)), "\n")
	if want := "0 cat-7                    f(a=5) {"; lines[8] != "  "+want {
		t.Errorf("got %q, want %q", lines[8], want)
	}
	if want := "  0 cat-7                    +3 f(a=5) {"; lines[11] != want {
		t.Errorf("got %q, want %q", lines[11], want)
	}
}

// TestGroup: a heading above calls says once what they belong to.
func TestGroup(t *testing.T) {
	in := newProbe(false).number("a", cInt, 5).comm("cat")
	other := newProbe(false).comm("dog")
	sources := []render.Source{newSource("f", "", in, nil), newSource("g\x1b", "", other, nil)}
	all := []*calls.Call{
		{Entry: in.event(1, 0, 7)}, {Entry: in.event(2, 0, 7)}, {Entry: in.event(3, 0, 8)},
		{Plan: 1, Entry: other.event(4, 0, 8)}, {Plan: 1, Entry: other.event(5, 0, 9)}, {Entry: in.event(6, 0, 7)},
	}
	for _, tt := range []struct {
		mode render.GroupMode
		want string
	}{
		{render.GroupTask, `
CPU CALL
cat-7
  0 f(a=5)
  0 f(a=5)

cat-8
  0 f(a=5)

dog-8
  0 g\x1b()

dog-9
  0 g\x1b()

cat-7
  0 f(a=5)
`}, {render.GroupFunction, `
CPU COMM-TID           CALL
f
  0 cat-7              (a=5)
  0 cat-7              (a=5)
  0 cat-8              (a=5)

g\x1b
  0 dog-8              ()
  0 dog-9              ()

f
  0 cat-7              (a=5)
`}} {
		o := render.Options{Header: true, Time: render.TimeNone, Group: tt.mode}
		p := text.New(sources, o)
		got := p.Open([]byte("\n"))
		for _, c := range all {
			got = p.End(got, c)
		}
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.mode, diff)
		}
		o.Columns = func() int { return 200 }
		for _, sink := range []render.Sink{text.New(sources, o), text.NewScreen(sources, o)} {
			if n := testing.AllocsPerRun(100, func() {
				got = got[:0]
				for _, c := range all {
					got = sink.End(got, c)
				}
			}); n > 0 {
				t.Errorf("%v: %T allocates %v times", tt.mode, sink, n)
			}
		}
	}
}

// TestScreenInPlace: each interval's table replaces the one before, as much of it as fits on
// the terminal. Earlier output is above, and the last summary below.
func TestScreenInPlace(t *testing.T) {
	in := newProbe(false).number("n", cInt, 5).comm("cat")
	rows := 4
	s := text.NewScreen([]render.Source{newSource("function", "", in, nil)},
		render.Options{Columns: func() int { return 80 }, Rows: func() int { return rows }})
	table := func(n uint64, interval bool) *sum.Summary {
		return &sum.Summary{Sums: []sum.Sum{{Calls: n}}, Interval: interval, Final: !interval, Alone: true}
	}
	got := string(s.Summary(nil, table(1, true)))
	const first = "\n\n\n\n\x1b[HSummary of the last 0ns\x1b[K\nFUNCTION  CALLS"
	if !strings.HasPrefix(got, first) || !strings.HasSuffix(got, "\x1b[K\n\x1b[J") {
		t.Errorf("the first table is %q", got)
	}
	got = string(s.Summary(nil, table(2, true)))
	if !strings.HasPrefix(got, "\x1b[HSummary of the last") || strings.Count(got, "\n") != 3 {
		t.Errorf("the second table is %q", got)
	}
	rows = 3
	if got = string(s.Summary(nil, table(3, true))); strings.Count(got, "\n") != 2 || strings.Contains(got, "function") {
		t.Errorf("on three rows the table is %q", got)
	}
	if got = string(s.Summary(nil, table(4, false))); strings.Contains(got, "\x1b") || !strings.Contains(got, "Summary of all") {
		t.Errorf("the last table is %q", got)
	}
	row := &sum.Summary{Sums: []sum.Sum{{Calls: 5}}, Interval: true, Alone: true, Heat: true, Every: 1e9}
	if got = string(s.Summary(s.Summary(nil, row), row)); strings.Contains(got, "\x1b") || strings.Count(got, "\n") < 4 {
		t.Errorf("rows of a heat map are %q", got)
	}
}

package calls_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// showPart is show for calls that are handed out twice.
func showPart(c *calls.Call) string {
	part := "end"
	switch {
	case c.Begun:
		part = "begin"
	case c.Unfinished:
		part = "never ends"
	case c.Orphan:
		part = "orphan"
	}
	return fmt.Sprintf("%*s%s %d: plan %d", 2*c.Depth, "", part, c.ID, c.Plan)
}

// run feeds events and returns what comes out, with its rest.
func run(t *testing.T, opts calls.Options, events []string) (got []string) {
	t.Helper()
	return runSides(t, sides, opts, events)
}

// ofOneFunction returns sides in which f and g are plans for one function.
func ofOneFunction(specs ...string) map[int]calls.Side {
	of := map[int]calls.Side{}
	for id, s := range sides {
		if s.Func = "both"; s.Plan < len(specs) {
			s.Spec = specs[s.Plan]
		}
		of[id] = s
	}
	return of
}

func runSides(t *testing.T, sides map[int]calls.Side, opts calls.Options, events []string) (got []string) {
	t.Helper()
	p := calls.NewPairer(sides, opts)
	for i, line := range events {
		e := parse(t, uint64(10*(i+1)), line)
		for c, ok := p.Add(e); ok; c, ok = p.Next() {
			got = append(got, showPart(c))
		}
	}
	for c := range p.Rest {
		got = append(got, showPart(c))
	}
	return got
}

func TestBegin(t *testing.T) {
	tests := []struct {
		name   string
		opts   calls.Options
		events []string
		want   []string
	}{
		{
			name:   "nested",
			events: []string{"f 0/7 a800", "g 0/7 a700", "g. 0/7 a708", "g 0/7 a700", "g. 0/7 a708", "f. 0/7 a808"},
			want: []string{
				"begin 1: plan 0", "  begin 2: plan 1", "  end 2: plan 1",
				"  begin 3: plan 1", "  end 3: plan 1", "end 1: plan 0",
			},
		},
		{
			name:   "recursion, and another task in between",
			events: []string{"f 0/7 a800", "f 0/7 a700", "f 1/8 b800", "f. 0/7 a708", "f. 1/8 b808", "f. 0/7 a808"},
			want: []string{
				"begin 1: plan 0", "  begin 2: plan 0", "begin 3: plan 0",
				"  end 2: plan 0", "end 3: plan 0", "end 1: plan 0",
			},
		},
		{
			name:   "of what ends at once the innermost comes first",
			events: []string{"f 0/7 a800", "g 0/7 a700", "f 0/7 a600", "f. 0/7 a808"},
			want: []string{
				"begin 1: plan 0", "  begin 2: plan 1", "    begin 3: plan 0",
				"    never ends 3: plan 0", "  never ends 2: plan 1", "end 1: plan 0",
			},
		},
		{
			name:   "an entry shows that others are over, before it begins",
			events: []string{"f 0/7 a800", "g 0/7 a700", "f 0/7 a800"},
			want: []string{
				"begin 1: plan 0", "  begin 2: plan 1", "  never ends 2: plan 1", "never ends 1: plan 0",
				"begin 3: plan 0", "never ends 3: plan 0",
			},
		},
		{
			name:   "the end of tracing",
			events: []string{"f 0/7 a800", "g 0/7 a700"},
			want: []string{
				"begin 1: plan 0", "  begin 2: plan 1", "  never ends 2: plan 1", "never ends 1: plan 0",
			},
		},
		{
			name:   "the start of tracing",
			events: []string{"g. 0/7 a708", "g 0/7 a700", "g. 0/7 a708"},
			want:   []string{"orphan 0: plan 1", "begin 1: plan 1", "end 1: plan 1"},
		},
		{
			name:   "refused calls are neither shown nor counted",
			opts:   calls.Options{Accept: func(c *calls.Call) bool { return c.Plan != 1 }},
			events: []string{"f 0/7 a800", "g 0/7 a700", "f 0/7 a600", "f. 0/7 a608", "g. 0/7 a708", "f. 0/7 a808"},
			want:   []string{"begin 1: plan 0", "  begin 2: plan 0", "  end 2: plan 0", "end 1: plan 0"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.Begin, tt.opts.Delta = true, 8
			if diff := cmp.Diff(tt.want, run(t, tt.opts, tt.events)); diff != "" {
				t.Errorf("events %q: (-want +got):\n%s", tt.events, diff)
			}
		})
	}
}

func TestChain(t *testing.T) {
	tests := []struct {
		name   string
		opts   calls.Options
		events []string
		want   []string
	}{
		{
			name:   "complete",
			events: []string{"f 0/7 a800", "g 0/7 a700", "g. 0/7 a708", "f. 0/7 a808"},
			want:   []string{"begin 1: plan 0", "  begin 2: plan 1", "  end 2: plan 1", "end 1: plan 0"},
		},
		{
			name:   "each function by itself, one after the other, the wrong way round, in two tasks",
			events: []string{"f 0/7 a800", "f. 0/7 a808", "g 0/7 a700", "f 0/7 a600", "f. 0/7 a608", "g. 0/7 a708", "f 0/8 b800", "g 1/7 a700", "g. 1/7 a708", "f. 0/8 b808"},
		},
		{
			name:   "of recursive calls the innermost leads",
			events: []string{"f 0/7 a800", "f 0/7 a700", "g 0/7 a600", "g. 0/7 a608", "f. 0/7 a708", "f. 0/7 a808"},
			want:   []string{"begin 1: plan 0", "  begin 2: plan 1", "  end 2: plan 1", "end 1: plan 0"},
		},
		{
			name:   "the last one twice",
			events: []string{"f 0/7 a800", "g 0/7 a700", "g. 0/7 a708", "g 0/7 a700", "g 0/7 a600", "g. 0/7 a608", "g. 0/7 a708", "f. 0/7 a808"},
			want: []string{
				"begin 1: plan 0", "  begin 2: plan 1", "  end 2: plan 1",
				"  begin 3: plan 1", "    begin 4: plan 1", "    end 4: plan 1", "  end 3: plan 1", "end 1: plan 0",
			},
		},
		{
			name:   "a tail call is at the place of its caller",
			events: []string{"f 0/7 a800", "g 0/7 a800", "g. 0/7 a808", "f. 0/7 a808"},
			want:   []string{"begin 1: plan 0", "  begin 2: plan 1", "  end 2: plan 1", "end 1: plan 0"},
		},
		{
			name:   "three, and one that the first one's condition refuses",
			opts:   calls.Options{Chain: 3, Accept: func(c *calls.Call) bool { return c.Plan != 0 || c.Entry.TID == 7 }},
			events: []string{"f 0/8 b800", "g 0/8 b700", "cond 0/8 b600", "f 0/7 a800", "g 0/7 a700", "h 0/7 a600", "h. 0/7 a608", "h 0/8 b600"},
			want: []string{
				"begin 1: plan 0", "  begin 2: plan 1", "    begin 3: plan 2", "    end 3: plan 2",
				"  never ends 2: plan 1", "never ends 1: plan 0",
			},
		},
		{
			name:   "the start of tracing in the middle of the chain",
			events: []string{"g 0/7 a700", "g. 0/7 a708", "f. 0/7 a808"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.opts.Chain == 0 {
				tt.opts.Chain = 2
			}
			tt.opts.Begin, tt.opts.Delta = true, 8
			if diff := cmp.Diff(tt.want, run(t, tt.opts, tt.events)); diff != "" {
				t.Errorf("events %q: (-want +got):\n%s", tt.events, diff)
			}
		})
	}
}

// TestBeginRandom: whatever is lost, each call that begins ends once, after it
// has begun, before those it was called by, and nothing is kept for ever.
func TestBeginRandom(t *testing.T) {
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		opts := calls.Options{Begin: true, Delta: 8}
		if rnd.IntN(2) == 0 {
			opts.Chain = 2
		}
		p := calls.NewPairer(sides, opts)
		var open []uint64
		take := func(c *calls.Call) bool {
			switch {
			case c.Orphan:
			case c.Begun:
				if c.Depth != len(open) {
					t.Fatalf("seed %d: call %d has depth %d, not %d", seed, c.ID, c.Depth, len(open))
				}
				open = append(open, c.ID)
			case len(open) == 0 || open[len(open)-1] != c.ID:
				t.Fatalf("seed %d: call %d ends, of %v", seed, c.ID, open)
			default:
				open = open[:len(open)-1]
			}
			return true
		}
		sp := []uint64{0xffffc90000014000 - 64}
		ids := []int{0}
		for time := range uint64(3000) {
			lost, deeper := rnd.IntN(10) == 0, rnd.IntN(2) == 0
			var id int
			var at uint64
			if len(sp) > 1 && (len(sp) > 40 || !deeper) {
				id, at = ids[len(ids)-1]+1, sp[len(sp)-1]+8
				sp, ids = sp[:len(sp)-1], ids[:len(ids)-1]
			} else {
				id, at = []int{fIn, gIn}[rnd.IntN(2)], sp[len(sp)-1]-24-8*uint64(rnd.IntN(20))
				sp, ids = append(sp, at), append(ids, id)
			}
			if lost {
				continue
			}
			for c, ok := p.Add(event(id, time+1, 0, 7, at)); ok; c, ok = p.Next() {
				take(c)
			}
		}
		p.Rest(take)
		if len(open) > 0 {
			t.Fatalf("seed %d: calls %v have not ended", seed, open)
		}
	}
}

// TestDeepRecursion: of a function that calls itself 50 deep, on a task that is
// interrupted all the while, each return finds its own entry.
func TestDeepRecursion(t *testing.T) {
	const depth = 50
	place := func(i int) uint64 { return 0xffffc90000014000 - 64 - uint64(i)*48 }
	p := calls.NewPairer(sides, calls.Options{Delta: 8})
	time := uint64(0)
	add := func(id int, sp uint64) (c *calls.Call, ok bool) {
		time++
		return p.Add(event(id, time, 0, 7, sp))
	}
	for i := range depth {
		add(fIn, place(i))
		add(gIn, 0xffffc90000003e00) // on the stack for interrupts
		if c, ok := add(gOut, 0xffffc90000003e08); !ok || c.Plan != 1 || c.Duration != 1 {
			t.Fatalf("interrupt %d: %+v", i, c)
		}
	}
	for i := depth - 1; i >= 0; i-- {
		c, ok := add(fOut, place(i)+8)
		if !ok || c.Plan != 0 || c.Orphan || c.Entry == nil || c.Entry.Time != uint64(3*i+1) {
			t.Errorf("return %d: %+v, %v", i, c, ok)
		}
	}
	if c, ok := p.Next(); ok || p.Tally() != (calls.Tally{}) {
		t.Errorf("left: %+v, %+v", c, p.Tally())
	}
}

// TestNode pairs the events of two plans for one function, f and g, both of which have an
// entry and a return of each call.
func TestNode(t *testing.T) {
	one := []string{"f 0/7 a800", "g 0/7 a800", "g. 0/7 a808", "f. 0/7 a808"}
	two := []string{"f 0/7 a800", "g 0/7 a800", "f 0/7 a700", "g 0/7 a700", "g. 0/7 a708", "f. 0/7 a708", "g. 0/7 a808", "f. 0/7 a808"}
	three := append(append([]string{"f 0/7 a900", "g 0/7 a900"}, two...), "g. 0/7 a908", "f. 0/7 a908")
	for _, tt := range []struct {
		name   string
		opts   calls.Options
		specs  []string
		events []string
		want   []string
	}{
		{"a tree has both at one depth", calls.Options{}, []string{"f", "g"}, two, []string{
			"begin 1: plan 0", "begin 2: plan 1", "  begin 3: plan 0", "  begin 4: plan 1", "  end 4: plan 1", "  end 3: plan 0", "end 2: plan 1", "end 1: plan 0",
		}},
		{"also without stack pointers", calls.Options{Delta: calls.DeltaUnknown}, []string{"f", "g"}, []string{"f 0/7 -0", "g 0/7 -0", "f 0/7 -0", "g 0/7 -0"}, []string{
			"begin 1: plan 0", "begin 2: plan 1", "  begin 3: plan 0", "  begin 4: plan 1",
			"  never ends 4: plan 1", "  never ends 3: plan 0", "never ends 2: plan 1", "never ends 1: plan 0",
		}},
		{"a call does not lead to itself", calls.Options{Chain: 2}, []string{"f", "g"}, one, nil},
		{"but to another of its function", calls.Options{Chain: 2}, []string{"f", "g"}, two, []string{
			"begin 1: plan 0", "  begin 2: plan 1", "  end 2: plan 1", "end 1: plan 0",
		}},
		{"which may lead to a third", calls.Options{Chain: 2}, []string{"f", "g"}, three, []string{
			"begin 1: plan 0", "  begin 2: plan 1", "  begin 3: plan 0", "    begin 4: plan 1", "    end 4: plan 1", "  end 2: plan 1", "  end 3: plan 0", "end 1: plan 0",
		}},
		{"of a spec that is given twice each call is shown once", calls.Options{Chain: 2}, []string{"f", "f"}, three, []string{
			"begin 1: plan 0", "  begin 2: plan 1", "    begin 3: plan 1", "    end 3: plan 1", "  end 2: plan 1", "end 1: plan 0",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.Begin = true
			if tt.opts.Delta == 0 {
				tt.opts.Delta = 8
			}
			if diff := cmp.Diff(tt.want, runSides(t, ofOneFunction(tt.specs...), tt.opts, tt.events)); diff != "" {
				t.Errorf("events %q: (-want +got):\n%s", tt.events, diff)
			}
		})
	}
}

// TestBeginAlone: an event that has no return is a leaf of the calls that it is seen in.
func TestBeginAlone(t *testing.T) {
	alone := map[int]calls.Side{}
	for id, s := range sides {
		if s.Plan == 1 {
			s.Paired = false
		}
		alone[id] = s
	}
	got := runSides(t, alone, calls.Options{Begin: true, Delta: 8},
		[]string{"g 0/7 a900", "f 0/7 a800", "g 0/7 a700", "f 0/7 a600", "g 0/7 a500", "g 1/8 b800", "f. 0/7 a608", "g 0/7 a700", "f. 0/7 a808", "g 0/7 a900"})
	want := []string{
		"end 0: plan 1", "begin 1: plan 0", "  end 0: plan 1", "  begin 2: plan 0", "    end 0: plan 1", "end 0: plan 1",
		"  end 2: plan 0", "  end 0: plan 1", "end 1: plan 0", "end 0: plan 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

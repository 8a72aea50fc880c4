package calls_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// Plan 0 has two events on each side, plan 1 one, plan 2 two of entries alone.
var (
	partSides = map[int]calls.Side{
		1: {Plan: 0, Paired: true, Part: 0, Parts: 2},
		2: {Plan: 0, Paired: true, Part: 1, Parts: 2},
		3: {Plan: 0, Paired: true, Part: 0, Parts: 2, Return: true},
		4: {Plan: 0, Paired: true, Part: 1, Parts: 2, Return: true},
		5: {Plan: 1, Paired: true},
		6: {Plan: 1, Paired: true, Return: true},
		7: {Plan: 2, Part: 0, Parts: 2},
		8: {Plan: 2, Part: 1, Parts: 2},
		9: {Ends: func(e *tracefs.Event) (int, bool) { return e.TID, true }},

		10: {Plan: 3, Part: 0, Parts: 3},
		11: {Plan: 3, Part: 1, Parts: 3},
		12: {Plan: 3, Part: 2, Parts: 3},
	}
	partNames = map[string]int{
		"f0": 1, "f1": 2, "f0.": 3, "f1.": 4, "g": 5, "g.": 6, "only0": 7, "only1": 8, "renamed": 9, "t0": 10, "t1": 11, "t2": 12,
	}
)

func showParts(c *calls.Call) string {
	var b strings.Builder
	fmt.Fprintf(&b, "plan %d", c.Plan)
	side := func(word string, ret bool) {
		if c.Event(ret, 0) == nil && c.Event(ret, 1) == nil && c.Event(ret, 2) == nil {
			return
		}
		b.WriteString(" " + word)
		for i := range map[int]int{0: 2, 1: 1, 2: 2, 3: 3}[c.Plan] {
			if e := c.Event(ret, i); e != nil {
				fmt.Fprintf(&b, "@%d", e.Time)
			} else {
				b.WriteString("@-")
			}
		}
	}
	side("in", false)
	side("out", true)
	for word, is := range map[string]bool{" begun": c.Begun, " orphan": c.Orphan, " unfinished": c.Unfinished} {
		if is {
			b.WriteString(word)
		}
	}
	return b.String()
}

func TestParts(t *testing.T) {
	for _, tt := range []struct {
		name   string
		opts   calls.Options
		events string // "NAME CPU/TID STACK, ...", "!" before one that others were lost before
		want   string
		tally  calls.Tally
	}{
		{
			name:   "all parts",
			events: "f0 0/1 a0, f1 0/1 a0, f0. 0/1 a8, f1. 0/1 a8",
			want:   "plan 0 in@1@2 out@3@4",
		},
		{
			name:   "parts in another order, as those of returns come",
			events: "f1 0/1 a0, f0 0/1 a0, f1. 0/1 a8, f0. 0/1 a8",
			want:   "plan 0 in@2@1 out@4@3",
		},
		{
			name:   "another CPU's between them",
			events: "f0 0/1 a0, f0 1/2 b0, f1 1/2 b0, f1 0/1 a0, f0. 1/2 b8, f0. 0/1 a8, f1. 0/1 a8, f1. 1/2 b8",
			want:   "plan 0 in@1@4 out@6@7, plan 0 in@2@3 out@5@8",
		},
		{
			name:   "two idle tasks",
			events: "f0 0/0 a0, f0 1/0 b0, f1 1/0 b0, f1 0/0 a0, f0. 1/0 b8, f1. 1/0 b8, f0. 0/0 a8, f1. 0/0 a8",
			want:   "plan 0 in@2@3 out@5@6, plan 0 in@1@4 out@7@8",
		},
		{
			name:   "the first part of the entry is missing",
			events: "f1 0/1 a0, f0. 0/1 a8, f1. 0/1 a8",
			want:   "plan 0 in@-@1 out@2@3",
			tally:  calls.Tally{Partial: 1},
		},
		{
			name:   "three parts",
			events: "t1 0/1 a0, t0 0/1 a0, t2 0/1 a0",
			want:   "plan 3 in@2@1@3",
		},
		{
			name:   "three parts, one of which comes again",
			events: "t0 0/1 a0, t1 0/1 a0, t1 0/1 a0, t2 0/1 a0",
			want:   "plan 3 in@1@2@-, plan 3 in@-@3@4",
			tally:  calls.Tally{Partial: 2},
		},
		{
			name:   "three parts, the first without a stack pointer",
			events: "t0 0/1 -0, t1 0/1 a0, t2 0/1 a8",
			want:   "plan 3 in@1@2@-, plan 3 in@-@-@3",
			tally:  calls.Tally{Partial: 2},
		},
		{
			name:   "the task of the only side that waits ends",
			events: "f0 0/1 a0, renamed 0/1 a0, f1 0/1 a0, f0. 0/1 a8, f1. 0/1 a8",
			want:   "plan 0 in@1@- unfinished, plan 0 in@-@3 out@4@5",
			tally:  calls.Tally{Partial: 2, Unfinished: 1},
		},
		{
			name:   "the second part of the entry is missing",
			events: "f0 0/1 a0, f0. 0/1 a8, f1. 0/1 a8",
			want:   "plan 0 in@1@- out@2@3",
			tally:  calls.Tally{Partial: 1},
		},
		{
			name:   "a part of the return is missing, and the next call shows that",
			events: "f0 0/1 a0, f1 0/1 a0, f1. 0/1 a8, f0 0/1 a0, f1 0/1 a0, f0. 0/1 a8, f1. 0/1 a8",
			want:   "plan 0 in@1@2 out@-@3, plan 0 in@4@5 out@6@7",
			tally:  calls.Tally{Partial: 1},
		},
		{
			name:   "a part of the return is missing, and nothing comes after it",
			events: "f0 0/1 a0, f1 0/1 a0, f0. 0/1 a8",
			want:   "plan 0 in@1@2 out@3@-",
			tally:  calls.Tally{Partial: 1},
		},
		{
			name:   "another function of the same task shows that a part is missing",
			events: "f0 0/1 a100, g 0/1 a50, g. 0/1 a58, f0. 0/1 a108, f1. 0/1 a108",
			want:   "plan 1 in@2 out@3, plan 0 in@1@- out@4@5",
			tally:  calls.Tally{Partial: 1},
		},
		{
			name:   "the same part twice is two calls",
			events: "f0 0/1 a100, f0 0/1 a50, f1 0/1 a50, f0. 0/1 a58, f1. 0/1 a58, f0. 0/1 a108, f1. 0/1 a108",
			want:   "plan 0 in@2@3 out@4@5, plan 0 in@1@- out@6@7",
			tally:  calls.Tally{Partial: 1},
		},
		{
			name:   "parts at two stack pointers are two calls",
			events: "f0 0/1 a100, f1 0/1 a50, f0. 0/1 a58, f1. 0/1 a58, f0. 0/1 a108, f1. 0/1 a108",
			want:   "plan 0 in@-@2 out@3@4, plan 0 in@1@- out@5@6",
			tally:  calls.Tally{Partial: 2},
		},
		{
			name:   "parts on two CPUs are of two calls",
			events: "only0 0/1 a0, only1 1/1 a0",
			want:   "plan 2 in@1@-, plan 2 in@-@2",
			tally:  calls.Tally{Partial: 2},
		},
		{
			name:   "recursion",
			events: "f0 0/1 a100, f1 0/1 a100, f0 0/1 a50, f1 0/1 a50, f0. 0/1 a58, f1. 0/1 a58, f0. 0/1 a108, f1. 0/1 a108",
			want:   "plan 0 in@3@4 out@5@6, plan 0 in@1@2 out@7@8",
		},
		{
			name:   "a return without its entry",
			events: "f0. 0/1 a8, f1. 0/1 a8",
			want:   "plan 0 out@1@2 orphan",
			tally:  calls.Tally{Orphans: 1},
		},
		{
			name:   "what was lost may be a part, and the other half",
			events: "f0 0/1 a0, !f1 0/1 a0, f0. 0/1 a8, f1. 0/1 a8",
			want:   "plan 0 in@1@- unfinished, plan 0 in@-@2 out@3@4",
			tally:  calls.Tally{Partial: 2, Unfinished: 1},
		},
		{
			name:   "losses of another CPU end the gathering as well",
			events: "f0 0/1 a0, f1 0/1 a0, f0. 0/1 a8, !g 1/2 b0, g. 1/2 b8",
			want:   "plan 0 in@1@2 out@3@-, plan 1 in@4 out@5",
			tally:  calls.Tally{Partial: 1},
		},
		{
			name:   "entries alone",
			events: "only0 0/1 a0, only1 0/1 a0, only1 0/1 a0, only0 0/1 a0, only0 0/1 a0",
			want:   "plan 2 in@1@2, plan 2 in@4@3, plan 2 in@5@-",
			tally:  calls.Tally{Partial: 1},
		},
		{
			name:   "a task that gets another name",
			events: "f0 0/1 a0, renamed 0/1 a0",
			want:   "plan 0 in@1@- unfinished",
			tally:  calls.Tally{Partial: 1, Unfinished: 1},
		},
		{
			name:   "tracing ends",
			events: "f0 0/1 a0, f1 0/1 a0, f0 1/2 b0",
			want:   "plan 0 in@1@2 unfinished, plan 0 in@3@- unfinished",
			tally:  calls.Tally{Partial: 1, Unfinished: 2},
		},
		{
			name:   "handed out when they begin, with all parts",
			opts:   calls.Options{Begin: true, Accept: func(c *calls.Call) bool { return c.Plan == 1 || c.Event(false, 0) != nil && c.Event(false, 1) != nil }},
			events: "f0 0/1 a100, f1 0/1 a100, g 0/1 a50, g. 0/1 a58, f1. 0/1 a108, f0. 0/1 a108",
			want:   "plan 0 in@1@2 begun, plan 1 in@3 begun, plan 1 in@3 out@4, plan 0 in@1@2 out@6@5",
		},
		{
			name:   "handed out when they begin, a part late",
			opts:   calls.Options{Begin: true},
			events: "f0 0/1 a100, g 0/1 a50, g. 0/1 a58, f1. 0/1 a108",
			want:   "plan 0 in@1@- begun, plan 1 in@2 begun, plan 1 in@2 out@3, plan 0 in@1@- out@-@4",
			tally:  calls.Tally{Partial: 2},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts := tt.opts
			opts.Delta = 8
			p := calls.NewPairer(partSides, opts)
			var got []string
			for i, line := range strings.Split(tt.events, ", ") {
				e := parsePart(t, uint64(i+1), line)
				for c, ok := p.Add(e); ok; c, ok = p.Next() {
					got = append(got, showParts(c))
				}
				clear(e.Data) // the pairer must not look at it any more
				*e = tracefs.Event{}
			}
			p.Rest(func(c *calls.Call) bool {
				got = append(got, showParts(c))
				return true
			})
			if diff := cmp.Diff(strings.Split(tt.want, ", "), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if p.Tally() != tt.tally {
				t.Errorf("tally %+v, want %+v", p.Tally(), tt.tally)
			}
		})
	}
}

func parsePart(t *testing.T, time uint64, line string) *tracefs.Event {
	line, lost := strings.CutPrefix(line, "!")
	name, rest, _ := strings.Cut(line, " ")
	id, ok := partNames[name]
	if !ok {
		t.Fatalf("%q: no such event", line)
	}
	e := parse(t, time, "f "+rest)
	e.Format = formats[id]
	if lost {
		e.Lost = 1
	}
	return e
}

// TestPartsRandom pairs calls whose sides are split over two events with parts
// missing here and there. They must be the calls that pairing whole sides finds.
func TestPartsRandom(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		whole := randomSides(r)
		want := pairWhole(whole)
		got := pairSplit(r, whole)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: -whole +split:\n%s", seed, diff)
		}
	}
}

// randomSides are entries and returns of nested calls of plan 0 on four CPUs with a
// task each, 1 and 3 of partSides.
func randomSides(r *rand.Rand) (events []*tracefs.Event) {
	var depth [4]int
	for time := range uint64(400) {
		cpu := r.IntN(4)
		sp := func(n int) uint64 { return 0xffffc90000000000 + uint64(cpu)<<16 + 0x3000 - uint64(n)*0x40 }
		switch {
		case depth[cpu] == 0 || depth[cpu] < 20 && r.IntN(2) == 0:
			depth[cpu]++
			events = append(events, event(1, 10*time, cpu, 100+cpu, sp(depth[cpu])))
		default:
			events = append(events, event(3, 10*time, cpu, 100+cpu, sp(depth[cpu])+8))
			depth[cpu]--
		}
	}
	return events
}

func pairWhole(events []*tracefs.Event) map[int][]string {
	one := map[int]calls.Side{1: {Paired: true}, 3: {Paired: true, Return: true}}
	p := calls.NewPairer(one, calls.Options{Delta: 8})
	return pairByTask(p, events)
}

// pairSplit has of each event two, or one of them, which those of other CPUs may
// come between.
func pairSplit(r *rand.Rand, whole []*tracefs.Event) map[int][]string {
	var events []*tracefs.Event
	for _, e := range whole {
		parts := []int{0, 1}
		r.Shuffle(2, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		if r.IntN(8) == 0 {
			parts = parts[:1]
		}
		for i, part := range parts {
			split := *e
			split.Format = formats[e.Format.ID+part]
			split.Time += uint64(i * r.IntN(80)) // and so may be later than others' next ones
			events = append(events, &split)
		}
	}
	var last [4]uint64 // the order of a CPU stays
	for _, e := range events {
		e.Time = max(e.Time, last[e.CPU])
		last[e.CPU] = e.Time
	}
	slices.SortStableFunc(events, func(a, b *tracefs.Event) int { return int(int64(a.Time - b.Time)) })
	return pairByTask(calls.NewPairer(partSides, calls.Options{Delta: 8}), events)
}

// pairByTask are the calls of each task, as the stack pointers of both ends.
func pairByTask(p *calls.Pairer, events []*tracefs.Event) map[int][]string {
	all := map[int][]string{}
	add := func(c *calls.Call) bool {
		sp := func(e *tracefs.Event) string {
			if e == nil {
				return "-"
			}
			return fmt.Sprintf("%x", binary.LittleEndian.Uint64(e.Data)&0xffff)
		}
		all[c.Entry.TID] = append(all[c.Entry.TID], sp(c.Entry)+" "+sp(c.Return))
		return true
	}
	for _, e := range events {
		for c, ok := p.Add(e); ok; c, ok = p.Next() {
			add(c)
		}
	}
	p.Rest(add)
	return all
}

// One part is the common case, and costs nothing; with several all memory is used
// again.
func TestPartsAllocate(t *testing.T) {
	p := calls.NewPairer(partSides, calls.Options{Delta: 8})
	var events []*tracefs.Event
	for i, line := range []string{"f0 0/1 a0", "f1 0/1 a0", "g 0/1 a0", "g. 0/1 a8", "f1. 0/1 a8", "f0. 0/1 a8", "only0 0/1 a0", "only1 0/1 a0"} {
		events = append(events, parsePart(t, uint64(i+1), line))
	}
	run := func() {
		for _, e := range events {
			for _, ok := p.Add(e); ok; _, ok = p.Next() {
			}
		}
	}
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

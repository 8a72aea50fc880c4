package calls_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// pairAll is what becomes of all events.
func pairAll(p *calls.Pairer, events []*tracefs.Event) (got []string) {
	for _, e := range events {
		for c, ok := p.Add(e); ok; c, ok = p.Next() {
			got = append(got, show(c))
		}
	}
	for c := range p.Rest {
		got = append(got, show(c))
	}
	return got
}

func TestNoCallReachesOverAGap(t *testing.T) {
	events := []*tracefs.Event{
		event(fIn, 10, 0, 7, 800), event(condIn, 20, 1, 8, 800),
		event(onlyIn, 30, 2, 9, 800), // after the gap, on another CPU
		event(fOut, 40, 0, 7, 808), event(fIn, 50, 0, 7, 800), event(fOut, 60, 0, 7, 808),
	}
	for _, lost := range []uint64{5, tracefs.LostUnknown} {
		for _, id := range []int{onlyIn, 99} { // an event that is nobody's also reports it
			events[2].Lost, events[2].Format = lost, &tracefs.Format{ID: id}
			want := []string{"plan 2 in@30", "plan 0 in@10 unfinished", "plan 0 out@40 orphan", "plan 0 in@50 out@60 took 10"}
			if id == 99 {
				want = want[1:]
			}
			if got := pairAll(calls.NewPairer(sides, calls.Options{Delta: 8}), events); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}

func TestEnds(t *testing.T) {
	news := map[int]calls.Side{99: {Ends: func(e *tracefs.Event) (int, bool) { return e.TID + 1, e.Time > 20 }}}
	for id, s := range sides {
		news[id] = s
	}
	other := func(time uint64, tid int) *tracefs.Event {
		return &tracefs.Event{Format: &tracefs.Format{ID: 99}, Time: time, TID: tid}
	}
	got := pairAll(calls.NewPairer(news, calls.Options{Delta: 8}), []*tracefs.Event{
		event(fIn, 10, 0, 7, 800), event(fIn, 11, 0, 8, 900), other(20, 6), other(21, 99), other(30, 6),
		event(fOut, 40, 0, 7, 808), event(fOut, 41, 0, 8, 908),
	})
	want := []string{"plan 0 in@10 unfinished", "plan 0 out@40 orphan", "plan 0 in@11 out@41 took 30"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A thread that calls execve continues under the TID of its process, on the same stack.
// The calls of that process's first thread never return.
func TestExecByThread(t *testing.T) {
	const stack, other = 0xffffc90000010000, 0xffffc90000014000
	events := []*tracefs.Event{
		event(fIn, 10, 0, 7, other+800), event(fIn, 11, 1, 8, stack+800), event(gIn, 12, 1, 8, stack+700),
		event(hIn, 13, 1, 8, stack+600), event(fIn, 14, 0, 9, other+0x8000),
		event(hOut, 20, 1, 7, stack+608), event(hIn, 21, 1, 7, stack+600), event(hOut, 22, 1, 7, stack+608),
		event(gOut, 23, 1, 7, stack+708), event(fOut, 24, 1, 7, stack+808), event(fOut, 25, 1, 7, stack+808),
		event(fIn, 30, 1, 8, other+800), event(fOut, 31, 1, 8, other+808), // a new thread
	}
	want := []string{
		"plan 2 in@13 out@20 took 7", "plan 0 in@10 unfinished", "plan 2 in@21 out@22 took 1", "plan 1 in@12 out@23 took 11",
		"plan 0 in@11 out@24 took 13", "plan 0 out@25 orphan", "plan 0 in@30 out@31 took 1", "plan 0 in@14 unfinished",
	}
	if got := pairAll(calls.NewPairer(sides, calls.Options{Delta: 8}), events); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got := pairAll(calls.NewPairer(sides, calls.Options{Delta: 8}), []*tracefs.Event{event(fIn, 1, 0, 8, stack+800), event(fOut, 2, 0, 7, stack+808)})
	if !slices.Equal(got, []string{"plan 0 in@1 out@2 took 1"}) {
		t.Errorf("a process of which nothing was seen before: %q", got)
	}
	ended := 0
	p := calls.NewPairer(sides, calls.Options{Delta: 8, Begin: true})
	for _, e := range events {
		for c, ok := p.Add(e); ok; c, ok = p.Next() {
			if !c.Begun && !c.Orphan && !c.Unfinished {
				ended++
			}
		}
	}
	if ended != 5 {
		t.Errorf("%d calls ended in a tree, want 5", ended)
	}
}

// TestFilteredReturns: random calls of several plans on one function, some of
// which filter returns. Each return gets its own entry, and no call is lost.
func TestFilteredReturns(t *testing.T) {
	const plans = 6
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		known := map[int]calls.Side{}
		for i := range plans {
			filtered := i%2 == 0
			known[2*i] = calls.Side{Plan: i, Paired: true, Filtered: filtered}
			known[2*i+1] = calls.Side{Plan: i, Paired: true, Return: true}
		}
		p := calls.NewPairer(known, calls.Options{Delta: 8})
		time := uint64(0)
		var got, want []string
		make := func(id int, sp uint64) {
			time++
			e := event(fIn, time, 0, 7, sp)
			e.Format = &tracefs.Format{ID: id}
			for c, ok := p.Add(e); ok; c, ok = p.Next() {
				got = append(got, fmt.Sprint(c.Plan, c.Entry.Time, c.Return.Time))
			}
		}
		var call func(sp uint64, depth int)
		call = func(sp uint64, depth int) {
			first := time
			for i := range plans {
				make(2*i, sp)
			}
			for depth < 3 && rnd.IntN(3) == 0 {
				call(sp-32-8*uint64(rnd.IntN(3)), depth+1)
			}
			for i := range plans {
				if i%2 == 0 && rnd.IntN(2) == 0 {
					continue // filtered out
				}
				make(2*i+1, sp+8)
				want = append(want, fmt.Sprint(i, first+1+uint64(i), time))
			}
		}
		for range 40 {
			call(0xffffc90000013000-8*uint64(rnd.IntN(3)), 0)
		}
		for c := range p.Rest {
			t.Fatalf("seed %d: %s is left", seed, show(c))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d:\ngot  %q\nwant %q", seed, got, want)
		}
	}
}

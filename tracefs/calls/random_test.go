package calls_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// TestRandomRuns replays random call trees with random losses. No event may be
// lost or doubled, and no call may be made of the halves of two activations,
// unless they were at the same place of the stack one after the other, and the
// return of the first and the entry of the second were lost.
func TestRandomRuns(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		delta := int64(8 * rnd.IntN(2))
		opts := calls.Options{Delta: calls.DeltaUnknown}
		if rnd.IntN(2) == 0 {
			opts.Delta = delta
		}
		type activation struct {
			id int // of the function's entry event
			sp uint64
			in uint64 // time

			heard bool // its entry was not lost
		}
		var stack []activation
		owner := make(map[uint64]activation) // by time of return
		places := make(map[uint64]uint64)    // time of entry: stack pointer
		seen := make(map[uint64]bool)
		p := calls.NewPairer(sides, opts)
		var time, entries, returns uint64
		take := func(c *calls.Call) {
			for _, e := range []*tracefs.Event{c.Entry, c.Return} {
				if e != nil && seen[e.Time] {
					t.Fatalf("seed %d: event %d is in two calls", seed, e.Time)
				}
				if e != nil {
					seen[e.Time] = true
				}
			}
			if c.Entry == nil || c.Return == nil {
				return
			}
			a, sp := owner[c.Return.Time], places[c.Entry.Time]
			if a.in != c.Entry.Time && (a.heard || a.sp+8-sp > 16) {
				t.Fatalf("seed %d: return %d was paired with entry %d at %#x, not with %+v",
					seed, c.Return.Time, c.Entry.Time, sp, a)
			}
		}
		add := func(e *tracefs.Event) {
			for c, ok := p.Add(e); ok; c, ok = p.Next() {
				take(c)
			}
		}
		for range 2000 {
			time++
			lost := rnd.IntN(10) == 0
			if n := len(stack); n > 0 && (n > 40 || rnd.IntN(2) == 0) {
				a := stack[n-1]
				stack = stack[:n-1]
				owner[time] = a
				if !lost {
					returns++
					add(event(a.id+1, time, 0, 7, a.sp+uint64(delta)))
				}
				continue
			}
			sp := uint64(0xffffc90000014000) - 64
			if n := len(stack); n > 0 {
				sp = stack[n-1].sp - 24 - 8*uint64(rnd.IntN(20))
			}
			a := activation{id: []int{fIn, gIn}[rnd.IntN(2)], sp: sp, in: time, heard: !lost}
			places[time] = sp
			stack = append(stack, a)
			if !lost {
				entries++
				add(event(a.id, time, 0, 7, sp))
			}
		}
		p.Rest(func(c *calls.Call) bool { take(c); return true })
		if got, want := uint64(len(seen)), entries+returns; got != want {
			t.Errorf("seed %d: %d events came out, %d went in", seed, got, want)
		}
	}
}

func BenchmarkPairer(b *testing.B) {
	b.ReportAllocs()
	p := calls.NewPairer(sides, calls.Options{Delta: 8})
	var events []*tracefs.Event
	for tid := range 64 {
		events = append(events,
			event(fIn, 1, 0, tid+1, 0xffffc90000010800), event(gIn, 2, 0, tid+1, 0xffffc90000010700),
			event(gOut, 3, 0, tid+1, 0xffffc90000010708), event(fOut, 4, 0, tid+1, 0xffffc90000010808))
	}
	var pairs int
	for b.Loop() {
		for _, e := range events {
			for _, ok := p.Add(e); ok; _, ok = p.Next() {
				pairs++
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(events)), "ns/event")
}

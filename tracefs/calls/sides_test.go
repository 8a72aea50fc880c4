package calls_test

import (
	"testing"

	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// TestKnow: what comes later is understood, and calls that have begun are still paired.
func TestKnow(t *testing.T) {
	p := calls.NewPairer(map[int]calls.Side{gIn: sides[gIn], gOut: sides[gOut]}, calls.Options{})
	add := func(id int, time, sp uint64) (plans []int) {
		for c, ok := p.Add(event(id, time, 0, 1, sp)); ok; c, ok = p.Next() {
			if c.Orphan || c.Unfinished {
				t.Errorf("call of plan %d did not pair", c.Plan)
			}
			plans = append(plans, c.Plan)
		}
		return plans
	}
	if got := append(add(gIn, 1, 100), add(fIn, 2, 90)...); got != nil {
		t.Errorf("calls %v before any has ended", got)
	}
	p.Know(map[int]calls.Side{fIn: sides[fIn], fOut: sides[fOut], onlyIn: sides[onlyIn]})
	for _, e := range []struct {
		id, plan int
		sp       uint64
	}{{onlyIn, 2, 0}, {fIn, -1, 80}, {fOut, 0, 80}, {gOut, 1, 100}} {
		got := add(e.id, 10, e.sp)
		if e.plan < 0 && got != nil || e.plan >= 0 && (len(got) != 1 || got[0] != e.plan) {
			t.Errorf("event %d: calls of plans %v, want %d", e.id, got, e.plan)
		}
	}
}

package sum_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// TestSumming: sums are shown every interval of the trace's clock, when they are asked
// for, and in the end; after that no more.
func TestSumming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, shown, gone := time.Now(), []string(nil), 0
		s := sum.NewSumming([]render.Source{{Plan: plan.FromEvent("t", "f", nil, abi.Named("amd64"))}}, sum.Options{
			Interval: time.Second,
			Now:      func() uint64 { return uint64(time.Since(begin)) },
			Print: func(what *sum.Summary) bool {
				shown = append(shown, fmt.Sprintf("%d to %d: %d interval=%v final=%v", what.From, what.To, what.Sums[0].Calls, what.Interval, what.Final))
				return len(shown) < 3
			},
			Gone: func() { gone++ },
		})
		e := &tracefs.Event{}
		for i := range 3 {
			if !s.Add(&calls.Call{Entry: e}) {
				t.Errorf("after %d calls nobody wants more", i+1)
			}
			s.Add(&calls.Call{Entry: e, Begun: true}) // no call yet
			time.Sleep(400 * time.Millisecond)
		}
		s.Whole()
		time.Sleep(time.Second)
		synctest.Wait()
		if s.Add(&calls.Call{Entry: e}) || gone != 1 {
			t.Errorf("more is wanted; reported %d times", gone)
		}
		s.End()
		s.Whole()
		want := []string{
			"0 to 1000000000: 3 interval=true final=false",
			"0 to 1200000000: 3 interval=false final=false",
			"1000000000 to 2000000000: 0 interval=true final=false",
			"0 to 2200000000: 4 interval=false final=true",
		}
		if !slices.Equal(shown, want) || gone != 1 {
			t.Errorf("shown is %q, want %q; reported %d times that nobody wants more", shown, want, gone)
		}
	})
}

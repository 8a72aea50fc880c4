package query_test

import (
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/query"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// The duration decides as it is, in a recording of the plan, and in one of all calls
// from which the condition chooses.
func TestDuration(t *testing.T) {
	for _, tt := range []struct {
		cond  string
		ns    uint64
		ended bool
		want  bool
	}{
		{"duration > 1ms", 1_000_001, true, true},
		{"duration > 1ms", 1_000_000, true, false},
		{"duration > 1ms", 1_000_001, false, false},
		{"!(duration > 1ms)", 1_000_000, true, true},
		{"!(duration > 1ms)", 1_000_000, false, false}, // not known, either way
		{"duration <= 1.5us", 1500, true, true},
		{"duration == 0", 0, true, true},
		{"duration != 0", 0, true, false},
		{"duration", 1, true, true},
		{"$duration >= 2s", 2_000_000_000, true, true},
		{"duration < 10us || duration > 1s", 500_000, true, false},
		{"duration < 10us || duration > 1s", 5, true, true},
	} {
		live := planOf(t, "vfs_read(count) if "+tt.cond)
		if !live.Paired() || !live.HoldsBack() || !live.Partial {
			t.Errorf("%s: paired %v, held back %v, partial %v, want all", tt.cond, live.Paired(), live.HoldsBack(), live.Partial)
		}
		all := planOf(t, "vfs_read(count, return)")
		wanted, err := spec.Parse("vfs_read if " + tt.cond)
		if err != nil {
			t.Fatal(err)
		}
		chosen, _, err := query.Select([]*spec.Spec{wanted}, saved(t, all), false, nil)
		if err != nil {
			t.Fatal(err)
		}
		for what, p := range map[string]*plan.Plan{"live": live, "recorded": saved(t, live)[0], "chosen": chosen[0]} {
			if got := p.Match(nil, make([][]byte, len(p.Probes)), tt.ns, tt.ended); got != tt.want {
				t.Errorf("%s: %s of %d ns, ended %v: got %v, want %v", what, tt.cond, tt.ns, tt.ended, got, tt.want)
			}
		}
	}
}

// One end of a call alone has no duration.
func TestNoDuration(t *testing.T) {
	wanted, err := spec.Parse("vfs_read(count) if duration > 1ms")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = query.Select([]*spec.Spec{wanted}, saved(t, planOf(t, "vfs_read(count)")), false, nil)
	if err == nil {
		t.Error("a recording of entries has durations")
	}
}

package render_test

import (
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

func TestTotal(t *testing.T) {
	for _, tt := range []struct {
		name   string
		failed int
		lost   []uint64
		end    uint64
		m      sum.Missing
		want   string
	}{
		{"nothing", 0, nil, 10_200_000_000, sum.Missing{Counted: true}, "no calls, none lost, in 10.2s"},
		{"nobody has counted", 1, nil, 0, sum.Missing{}, "1 call, 1 error (1 ENOENT), in 2.00us"},
		{"many", 1204, nil, 0, sum.Missing{Counted: true}, "1,204 calls, 1,204 errors (1,204 ENOENT), none lost, in 2.41ms"},
		{"lost", 2, nil, 0, sum.Missing{Counted: true, Lost: 1e6, Missed: 3, Unsure: 4}, "2 calls, 2 errors (2 ENOENT), 1,000,000 lost, 3 missed, perhaps 4 missed, in 4.00us"},
		{"seen to be lost", 2, []uint64{5, 6}, 0, sum.Missing{}, "2 calls, 2 errors (2 ENOENT), 11 lost, in 4.00us"},
		{"lost and not counted", 2, []uint64{tracefs.LostUnknown}, 0, sum.Missing{Counted: true}, "2 calls, 2 errors (2 ENOENT), some lost, in 4.00us"},
		{"switched off", 2, nil, 0, sum.Missing{Counted: true, SwitchedOff: []string{"f"}}, "2 calls, 2 errors (2 ENOENT), f switched off, in 4.00us"},
		{"several switched off", 0, nil, 1, sum.Missing{Counted: true, Lost: 1, SwitchedOff: []string{"f", "g"}}, "no calls, 1 lost, 2 functions switched off, in 1ns"},
		{"missed", 0, nil, 1, sum.Missing{Counted: true, Missed: 1}, "no calls, 1 missed, in 1ns"},
	} {
		s := newTreeScene()
		for i := range s.sources {
			s.sources[i].Plan.Arch = abi.Named("amd64")
		}
		total := sum.NewTotal(s.sources, 0, nil)
		for range tt.failed {
			c := s.begin(7, 0)
			total.Add(c)
			total.Add(s.end(c))
		}
		for _, n := range tt.lost {
			total.Lose(&tracefs.Event{Lost: n})
		}
		if got := string(total.Append(nil, tt.end, tt.m)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestTotalErrors: the most frequent errors are named, the others counted.
func TestTotalErrors(t *testing.T) {
	var sources []render.Source
	var all []*calls.Call
	for i := range 6 {
		out := newProbe(true).number("return", cInt, uint64(1<<32-1-i))
		sources = append(sources, newSource("f", "", nil, out))
		sources[i].Plan.Arch = abi.Named("amd64")
		for range 1 + i {
			all = append(all, &calls.Call{Plan: i, Return: out.event(uint64(len(all)), 0, 7), Orphan: true})
		}
	}
	total := sum.NewTotal(sources[:1], 0, nil)
	total.Grow(sources[1:])
	if n := testing.AllocsPerRun(1, func() {
		for _, c := range all {
			total.Add(c)
		}
	}); n > 0 { // the first of two runs has made the names
		t.Errorf("%v allocations", n)
	}
	want := "42 calls, 42 errors (12 ENXIO, 10 EIO, 8 EINTR, 6 ESRCH, 6 others), in 20ns"
	if got := string(total.Append(nil, 0, sum.Missing{})); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

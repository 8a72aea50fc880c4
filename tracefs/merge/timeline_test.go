package merge_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/testdata/recordings"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/merge"
	"github.com/tsnoop/tsnoop/tracefs/replay"
)

// random makes recordings that overlap, some of which hold few pages.
func random(t testing.TB, seed uint64, n int, compress bool) (names []string) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	for i := range n {
		m := recordings.Made{
			Host: fmt.Sprint("h", i), Boot: fmt.Sprint("b", i), Compress: compress,
			Start: time.Duration(1 + rnd.Int64N(1e12)), Wall: noon.Add(time.Duration(rnd.Int64N(5e9))),
		}
		m.Pages = make([][]time.Duration, 1+rnd.IntN(4))
		at := time.Duration(rnd.Int64N(2e9))
		for range 1 + rnd.IntN(20) { // all are of one task, which is on one CPU at a time
			cpu := rnd.IntN(len(m.Pages))
			m.Pages[cpu] = append(m.Pages[cpu], at)
			at += recordings.Span + time.Duration(rnd.Int64N(1e8))
		}
		names = append(names, write(t, dir, fmt.Sprint(i, ".dat"), m))
	}
	return names
}

// TestOrder: the calls of all recordings are those that each has alone, with the same values, in
// the order of their times.
func TestOrder(t *testing.T) {
	for seed := range uint64(10) {
		names := random(t, seed, 1+int(seed), seed%2 == 0)
		tl := merge.New(open(t, shared(), names...))
		var want []string
		for _, r := range tl.Recordings {
			alone := open(t, replay.Options{}, r.Name)[0]
			for c, err := range alone.Calls(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, text(r, alone, c))
			}
		}
		var got []string
		for c, err := range tl.Calls(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			r, own := tl.Recordings[c.Plan], *c
			own.Plan = 0
			got = append(got, text(r, r, &own))
		}
		if !slices.IsSortedFunc(got, func(a, b string) int { return cmpText(a[:20], b[:20]) }) {
			t.Errorf("seed %d: not in the order of times", seed)
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
			t.Errorf("seed %d: %s", seed, diff)
		}
	}
}

// text is a call with its values.
func text(r, from *merge.Recording, c *calls.Call) string {
	line := fmt.Sprintf("%020d %s %d %d", r.At(c.Last().Time), r.Host, c.Last().CPU, c.Duration)
	for f, v := range from.Values(c) {
		line += fmt.Sprintf(" %s=%d %s", f.Label, v.Uint, v.Bytes)
	}
	return line
}

func cmpText(a, b string) int {
	if a < b {
		return -1
	} else if a > b {
		return 1
	}
	return 0
}

// TestStops ends the calls at any of them, and leaves no goroutine. Recordings that have not begun
// are not read.
func TestStops(t *testing.T) {
	dir := t.TempDir()
	early := write(t, dir, "early.dat", recordings.Made{Host: "a", Boot: "a", Start: time.Second, Wall: noon, Pages: [][]time.Duration{every(time.Second, 0, 5)}})
	late := write(t, dir, "late.dat", recordings.Made{Host: "b", Boot: "b", Start: time.Second, Wall: noon.Add(time.Hour), Pages: [][]time.Duration{every(time.Second, 0, 5)}})
	before := runtime.NumGoroutine()
	for _, end := range []int{1, 2, 7, 15, 16, 30} {
		tl := merge.New(open(t, shared(), late, early))
		n := 0
		for _, err := range tl.Calls(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == end {
				break
			}
		}
		if n != end {
			t.Errorf("%d calls, want %d", n, end)
		}
		if after := runtime.NumGoroutine(); after != before {
			t.Errorf("%d goroutines, were %d", after, before)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for range merge.New(open(t, shared(), late, early)).Calls(ctx) {
		if n++; n == 3 {
			cancel()
		}
	}
	if n != 3 {
		t.Errorf("%d calls after the context was cancelled", n-3)
	}
}

// TestLost: lost events are reported in the order of times, with their recording, also if the
// reader stops there.
func TestLost(t *testing.T) {
	dir := t.TempDir()
	a := write(t, dir, "a.dat", recordings.Made{Host: "a", Boot: "a", Start: time.Second, Wall: noon, Lost: 5, Pages: [][]time.Duration{every(time.Second, 0, 3)}})
	b := write(t, dir, "b.dat", recordings.Made{Host: "b", Boot: "b", Start: time.Minute, Wall: noon, Lost: 7, Pages: [][]time.Duration{every(time.Second, 500*time.Millisecond, 3)}})
	tl := merge.New(open(t, shared(), a, b))
	var got []string
	tl.Lost = func(r *merge.Recording, e *tracefs.Event) { got = append(got, fmt.Sprint(r.Host, " lost ", e.Lost)) }
	for c := range tl.Calls(t.Context()) {
		got = append(got, tl.Recordings[c.Plan].Host)
	}
	want := []string{"a", "a", "a", "b", "b", "b", "a", "a", "a", "b", "b", "b", "a lost 5", "a", "a", "a", "b lost 7", "b", "b", "b"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWindow: a part of the time line is a part of each recording.
func TestWindow(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for i, start := range []time.Duration{time.Second, time.Hour, 5 * time.Second} {
		names = append(names, write(t, dir, fmt.Sprint(i, ".dat"), recordings.Made{
			Host: fmt.Sprint(i), Boot: fmt.Sprint(i), Start: start, Wall: noon.Add(time.Duration(i) * 100 * time.Millisecond), Pages: [][]time.Duration{every(time.Second, 0, 5)},
		}))
	}
	for _, tt := range []struct {
		from, to time.Duration // after the start
		want     string
	}{
		{0, 0, "000111222000111222000111222000111222000111222"},
		{0, time.Hour, "000111222000111222000111222000111222000111222"},
		{time.Second, time.Second + 100*time.Millisecond, "0001"},
		{1150 * time.Millisecond, 2050 * time.Millisecond, "222000"},
		{time.Minute, 0, ""},
		{0, 1, "0"},
	} {
		tl := merge.New(open(t, shared(), names...))
		to := uint64(0)
		if tt.to > 0 {
			to = tl.Start + uint64(tt.to)
		}
		tl.SetWindow(tl.Start+uint64(tt.from), to)
		got := ""
		for c := range tl.Calls(t.Context()) {
			got += tl.Recordings[c.Plan].Host
		}
		if got != tt.want || tl.WindowEvents() == 0 != (got == "") {
			t.Errorf("%v to %v: %q of %d events, want %q", tt.from, tt.to, got, tl.WindowEvents(), tt.want)
		}
	}
}

// TestNumbers: calls that are yielded twice have IDs of their own in all recordings.
func TestNumbers(t *testing.T) {
	names := random(t, 3, 5, false)
	o := shared()
	o.Begin = true
	tl := merge.New(open(t, o, names...))
	begun, ended := map[uint64]int{}, map[uint64]int{}
	for c := range tl.Calls(t.Context()) {
		if c.Begun {
			begun[c.ID] += 1 + c.Plan
		} else {
			ended[c.ID] += 1 + c.Plan
		}
	}
	if diff := cmp.Diff(begun, ended); diff != "" || len(begun) < 20 {
		t.Errorf("%d calls: %s", len(begun), diff)
	}
}

package merge_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/testdata/recordings"
	"github.com/tsnoop/tsnoop/tracefs/merge"
)

// TestClocks: each recording has the place on the time line that follows from what it says of its
// clock, and the name of its host.
func TestClocks(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	page := [][]time.Duration{{0}}
	type made = recordings.Made
	for _, tt := range []struct {
		name    string
		all     []made
		offsets map[int]time.Duration
		want    []string // the host, the time after the start, and the drift
		one     bool     // they have one clock
	}{
		{"one boot has one clock, whatever the clock of the host shows", []made{
			{Host: "w", Boot: "1", Start: 5 * s, Wall: noon, Pages: page},
			{Host: "w", Boot: "1", Start: 7 * s, Wall: noon.Add(time.Hour), Pages: page},
		}, nil, []string{"w 0s", "w 2s"}, true},
		{"boots have the times that the clocks of the hosts showed", []made{
			{Host: "w", Boot: "1", Start: 5 * s, Wall: noon.Add(s), Length: s, Pages: page},
			{Host: "x", Boot: "2", Start: 90 * s, Wall: noon, Length: s, Drift: 3, Pages: page},
		}, nil, []string{"w 999.999997ms 0s", "x 0s 3ns"}, false},
		{"a name that stands for several boots or machines has numbers in the order of their times", []made{
			{Host: "w", Boot: "1", Start: 5 * s, Wall: noon.Add(time.Minute), Pages: page},
			{Host: "w", Boot: "2", Start: 5 * s, Wall: noon, Pages: page},
			{Host: "w", Machine: "m", Boot: "2", Start: 5 * s, Wall: noon.Add(time.Hour), Pages: page},
			{Host: "w", Boot: "1", Start: 9 * s, Wall: noon.Add(64 * s), Pages: page},
		}, nil, []string{"w#2 1m0s", "w 0s", "w#3 1h0m0s", "w#2 1m4s"}, false},
		{"who sets a clock corrects it", []made{
			{Host: "w", Boot: "1", Start: 5 * s, Wall: noon, Length: s, Drift: 50 * ms, Pages: page},
			{Host: "x", Boot: "2", Start: 5 * s, Wall: noon, Length: s, Pages: page},
		}, nil, []string{"w 50ms 50ms", "x 0s 0s"}, false},
		{"a synchronized clock is the best, then the one with the smallest error", []made{
			{Host: "w", Boot: "1", Start: 5 * s, Wall: noon.Add(ms), Synced: true, MaxError: s, Pages: page},
			{Host: "w", Boot: "1", Start: 6 * s, Wall: noon.Add(9 * s), MaxError: 1, Pages: page},
			{Host: "x", Boot: "2", Start: 5 * s, Wall: noon, MaxError: 5 * ms, Pages: page},
			{Host: "x", Boot: "2", Start: 6 * s, Wall: noon.Add(8 * s), MaxError: 6 * ms, Pages: page},
			{Host: "x", Boot: "2", Start: 7 * s, Wall: noon.Add(8 * s), Pages: page},
		}, nil, []string{"w 1ms", "w 1.001s", "x 0s", "x 1s", "x 2s"}, false},
		{"two trace clocks of a boot are two clocks of one host", []made{
			{Host: "w", Boot: "1", Start: 5 * s, Wall: noon, Pages: page},
			{Host: "w", Boot: "1", Clock: "boot", Start: 90 * s, Wall: noon.Add(s), Pages: page},
		}, nil, []string{"w 0s", "w 1s"}, false},
		{"without a time of day it begins with the first, and is named by its file", []made{
			{Host: "w", Boot: "1", Start: 5 * s, Wall: noon, Pages: page},
			{Start: 900 * s, Pages: page},
			{Start: 3 * s, Wall: noon.Add(s), Pages: page},
		}, nil, []string{"w 0s", "1.dat 0s unknown", "2.dat 1s"}, false},
		{"none has a time of day", []made{{Start: 900 * s, Pages: page}, {Start: 3 * s, Pages: page}}, map[int]time.Duration{1: -7 * s},
			[]string{"0.dat 7s unknown", "1.dat 0s unknown"}, false},
		{"an offset moves a recording", []made{
			{Host: "w", Boot: "1", Start: 5 * s, Wall: noon, Pages: page},
			{Host: "x", Boot: "2", Start: 5 * s, Wall: noon, Pages: page},
			{Host: "x", Boot: "2", Start: 6 * s, Wall: noon.Add(s), Pages: page},
			{Start: s, Pages: page},
		}, map[int]time.Duration{1: -time.Hour, 3: 2 * s}, []string{"w 1h0m0s", "x 0s", "x 1h0m1s", "3.dat 2s unknown"}, false},
	} {
		dir := t.TempDir()
		var names []string
		for i, m := range tt.all {
			names = append(names, write(t, dir, fmt.Sprint(i, ".dat"), m))
		}
		all := open(t, shared(), names...)
		for i, by := range tt.offsets {
			all[i].Offset = by
		}
		tl := merge.New(all)
		var got []string
		for _, r := range tl.Recordings {
			text := fmt.Sprint(r.Host, " ", time.Duration(r.At(r.Start)-tl.Start))
			if r.Clock.Drift != nil {
				text += fmt.Sprint(" ", time.Duration(*r.Clock.Drift))
			}
			if r.ToWall == nil {
				text += " unknown"
			} else if r.From(r.At(r.Start)) != r.Start {
				t.Errorf("%s: %s: %d is at %d, which is %d", tt.name, r.Name, r.Start, r.At(r.Start), r.From(r.At(r.Start)))
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || tl.OneClock() != tt.one {
			t.Errorf("%s: one clock: %v, want %v: %s", tt.name, tl.OneClock(), tt.one, diff)
		}
		add, unknown := tl.ToWall()
		if want := strings.Contains(strings.Join(tt.want, " "), "unknown"); (unknown != nil) != want {
			t.Errorf("%s: the time of day is not known of %v", tt.name, unknown)
		}
		for _, r := range tl.Recordings {
			if unknown == nil && int64(r.At(r.Start))+add != int64(r.Start)+*r.ToWall {
				t.Errorf("%s: %s has another time of day", tt.name, r.Name)
			}
		}
	}
}

// TestNamesOfFiles: files of one name are named with their folders.
func TestNamesOfFiles(t *testing.T) {
	name := write(t, t.TempDir(), "t.dat", recordings.Made{Start: time.Second, Pages: [][]time.Duration{{0}}})
	all := open(t, shared(), name, name, name, name)
	for i, name := range []string{"a/t.dat", "b/t.dat", "x/b/t.dat", "u.dat"} {
		all[i].Name = name
	}
	var got []string
	for _, r := range merge.New(all).Recordings {
		got = append(got, r.Host)
	}
	if diff := cmp.Diff([]string{"a/t.dat", "b/t.dat", "x/b/t.dat", "u.dat"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestSame finds the copies of a recording.
func TestSame(t *testing.T) {
	dir := t.TempDir()
	m := recordings.Made{Host: "w", Boot: "1", Start: 5 * time.Second, Wall: noon, Pages: [][]time.Duration{{0}}}
	a := write(t, dir, "a.dat", m)
	m.Length, m.Pages = time.Second, nil // a part of it
	b := write(t, dir, "b.dat", m)
	m.Start++
	c := write(t, dir, "c.dat", m)
	all := open(t, shared(), a, b, c, a)
	same := merge.Same(all)
	if same[0] != nil || same[1] != all[0] || same[2] != nil || same[3] != all[0] {
		t.Errorf("%v", same)
	}
}

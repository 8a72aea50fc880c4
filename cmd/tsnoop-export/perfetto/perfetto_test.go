package perfetto_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/input"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/perfetto"
	"github.com/tsnoop/tsnoop/tracefs"
)

var update = flag.Bool("update", false, "write what is got as what is wanted")

// packets returns the packets of lines.
func packets(t testing.TB, lines string, missing error) []node {
	t.Helper()
	var b bytes.Buffer
	out, err := perfetto.New(output.To{Context: context.Background(), W: &b, Warn: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	err = input.Lines(context.Background(), strings.NewReader(lines), "stdin", out)
	if err := out.Close(cmp.Or(missing, err)); err != nil {
		t.Fatal(err)
	}
	return decode(t, "Trace", b.Bytes())
}

// Each packet of calls with all that they can have, field by field.
func TestPackets(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, name := range files {
		lines, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, golden := dump(packets(t, string(lines), nil)), strings.TrimSuffix(name, ".json")+".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A slice is a call as a reader finds it.
type slice struct {
	name       string
	start, end uint64
	depth      int
}

// read orders events by time, those at the same time as they are in the file, and pairs begins and
// ends on each track as a reader does: an end closes the slice that was begun last.
func read(t *testing.T, all []node) (found []slice) {
	t.Helper()
	var events []*node
	for i := range all {
		if len(all[i].get("track_event").inside) > 0 {
			events = append(events, &all[i])
		}
	}
	slices.SortStableFunc(events, func(a, b *node) int { return cmp.Compare(a.get("timestamp").number, b.get("timestamp").number) })
	open := map[uint64][]slice{}
	for _, e := range events {
		at, event := e.get("timestamp").number, e.get("track_event")
		track := event.get("track_uuid").number
		switch event.get("type").text {
		case "TYPE_SLICE_BEGIN":
			open[track] = append(open[track], slice{name: event.get("name").text, start: at, depth: len(open[track])})
		case "TYPE_SLICE_END":
			last := len(open[track]) - 1
			if last < 0 {
				t.Fatalf("at %d nothing is open", at)
			}
			s := open[track][last]
			s.end = at
			found, open[track] = append(found, s), open[track][:last]
		}
	}
	for track, left := range open {
		if len(left) > 0 {
			t.Errorf("on track %d, %v is open at the end", track, left)
		}
	}
	return found
}

// A reader finds each call of a task with its start and end, whatever overlaps, and however many
// begin or end at the same time.
func TestNest(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		var want []slice
		for i := range 1 + random.IntN(60) {
			start := 1000 + random.Uint64N(40)
			want = append(want, slice{name: fmt.Sprintf("f%d", i), start: start, end: start + random.Uint64N(12)*random.Uint64N(2)})
		}
		slices.SortStableFunc(want, func(a, b slice) int { return cmp.Compare(a.end, b.end) })
		var lines strings.Builder
		for _, s := range want {
			fmt.Fprintf(&lines, `{"ts_ns":%d,"cpu":0,"pid":1,"tid":1,"comm":"a","func":%q,"end_ns":%d,"duration_ns":%d}`+"\n", s.start, s.name, s.end, s.end-s.start)
		}
		got := read(t, packets(t, lines.String(), nil))
		for i := range got {
			got[i].depth = 0
		}
		byName := func(a, b slice) int { return strings.Compare(a.name, b.name) }
		slices.SortFunc(got, byName)
		slices.SortFunc(want, byName)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v of\n%s", seed, got, want, &lines)
		}
	}
}

// Calls in calls are on the track of their thread, one in the other.
func TestNestInside(t *testing.T) {
	all := packets(t, `{"ts_ns":1020,"cpu":0,"pid":1,"tid":1,"comm":"a","func":"inner","end_ns":1030,"duration_ns":10}
{"ts_ns":1010,"cpu":0,"pid":1,"tid":1,"comm":"a","func":"middle","end_ns":1030,"duration_ns":20}
{"ts_ns":1040,"cpu":0,"pid":1,"tid":1,"comm":"a","func":"second","end_ns":1050,"duration_ns":10}
{"ts_ns":1000,"cpu":0,"pid":1,"tid":1,"comm":"a","func":"outer","end_ns":1050,"duration_ns":50}
`, nil)
	want := []slice{{"inner", 1020, 1030, 2}, {"middle", 1010, 1030, 1}, {"second", 1040, 1050, 1}, {"outer", 1000, 1050, 0}}
	if got := read(t, all); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	tracks := map[uint64]bool{}
	for i := range all {
		if e := all[i].get("track_event"); e.get("type").text == "TYPE_SLICE_BEGIN" {
			tracks[e.get("track_uuid").number] = true
		}
	}
	if len(tracks) != 1 {
		t.Errorf("they are on %d tracks", len(tracks))
	}
}

// A counter counts calls of an output.
type counter struct {
	output.Output
	timed, other int
}

func (c *counter) Call(one *call.Call) error {
	if one.Timed {
		c.timed++
	} else {
		c.other++
	}
	return c.Output.Call(one)
}

// All calls of each recording are there.
func TestRecordings(t *testing.T) {
	var files []string
	for _, pattern := range []string{"testdata/recordings/*.dat", "tracefs/tracedat/testdata/*.dat"} {
		found, err := filepath.Glob(filepath.Join("../../..", pattern))
		if err != nil || len(found) == 0 {
			t.Fatal(err, pattern)
		}
		files = append(files, found...)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		to, err := perfetto.New(output.To{Context: context.Background(), W: &b, Warn: t.Logf})
		if err != nil {
			t.Fatal(err)
		}
		out := &counter{Output: to}
		if err := input.Recording(context.Background(), f, info.Size(), name, out, func(tracefs.Warning) {}); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(nil); err != nil {
			t.Fatal(err)
		}
		all := decode(t, "Trace", b.Bytes())
		instants := 0
		for i := range all {
			if e := all[i].get("track_event"); e.get("type").text == "TYPE_INSTANT" && e.get("categories").text != "tsnoop" {
				instants++
			}
		}
		if got := len(read(t, all)); got != out.timed || instants != out.other || got+instants == 0 {
			t.Errorf("%s: %d slices and %d instants of %d and %d calls", name, got, instants, out.timed, out.other)
		}
	}
}

// A trace that is not whole says so at its end.
func TestMissing(t *testing.T) {
	for _, tt := range []struct {
		missing error
		want    string
	}{
		{context.Canceled, "the export was interrupted: later calls are missing"},
		{errors.New("line 3: cut\xff"), `not all could be read: line 3: cut\xff`},
	} {
		all := packets(t, `{"ts_ns":1000,"cpu":0,"pid":1,"tid":1,"comm":"a","func":"f"}`+"\n", tt.missing)
		last := all[len(all)-1]
		if got := last.get("track_event", "name").text; got != tt.want || last.get("timestamp").number != 1000 {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

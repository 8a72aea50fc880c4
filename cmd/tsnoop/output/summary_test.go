package output

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/stream"
)

// A testSumming sums up the calls of two functions.
type testSumming struct {
	sink sum.Sink
	*summing
	t    testing.TB
	file string
	out  *Output
	from []render.Source
}

func newTestSumming(t testing.TB, args ...string) *testSumming {
	t.Helper()
	s := &testSumming{t: t, file: filepath.Join(t.TempDir(), "out")}
	o, err := flags.Parse(append([]string{"-o", s.file}, args...))
	if err != nil {
		t.Fatal(err)
	}
	s.out = New(o, &terminal.UI{})
	if err := s.out.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.out.Close() })
	for _, f := range []string{"f", "g"} {
		s.from = append(s.from, render.Source{Plan: plan.FromEvent("t", f, nil, abi.Named("amd64"))})
	}
	s.sink = o.Notation.Sink(s.from, render.Options{})
	s.out.begin(s.sink)
	s.summing = s.out.sums
	return s
}

// begin begins to add up, on a clock or by the times of the calls.
func (s *testSumming) begin(now func() uint64, stop func()) (end func()) {
	s.live(now, stop)
	return s.summing.begin(s.from, &stream.Stream{Start: 1e9}, s.sink, s.out)
}

// text is what has been printed so far.
func (s *testSumming) text() string {
	s.t.Helper()
	s.out.stream.Flush()
	b, err := os.ReadFile(s.file)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// calls is how many calls the last summary is of.
func (s *testSumming) calls() int {
	s.t.Helper()
	lines := strings.Split(strings.TrimSpace(s.text()), "\n")
	var last struct{ Calls int }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		s.t.Fatal(err)
	}
	return last.Calls
}

func callAt(plan int, ns uint64) *calls.Call {
	e := &tracefs.Event{Time: ns}
	return &calls.Call{Plan: plan, Entry: e}
}

// TestSummaryIntervals: a time without calls is left out, however long.
func TestSummaryIntervals(t *testing.T) {
	s := newTestSumming(t, "--summary=only", "-i", "1s", "f")
	end := s.begin(nil, nil)
	show := s.Add
	for _, ns := range []uint64{1.5e9, 1.9e9, 2e9, 1.8e9, 1 << 62, 1<<62 + 1, 1<<64 - 1} {
		if !show(callAt(0, ns)) {
			t.Fatal("no more calls are wanted")
		}
	}
	show(callAt(1, 5e9)) // late
	end()
	want := `Summary of the last 1.00s
FUNCTION  CALLS  TOTAL  MEAN  P50  P99  MAX  ERRORS
f             2      -     -    -    -    -  -

Summary of the last 1.00s
FUNCTION  CALLS  TOTAL  MEAN  P50  P99  MAX  ERRORS
f             2      -     -    -    -    -  -

Summary of the last 1.00s
FUNCTION  CALLS  TOTAL  MEAN  P50  P99  MAX  ERRORS
f             2      -     -    -    -    -  -

Summary of all 18446744073s
FUNCTION  CALLS  TOTAL  MEAN  P50  P99  MAX  ERRORS
f             7      -     -    -    -    -  -
g             1      -     -    -    -    -  -
`
	if diff := cmp.Diff(want, s.text()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func at2s() uint64 { return 2e9 }

// TestSummaryAsked: SIGUSR1 prints all so far, at once and as often as it comes,
// while calls are added.
func TestSummaryAsked(t *testing.T) {
	s := newTestSumming(t, "--summary=only", "--json", "f")
	end := s.begin(at2s, nil)
	show := s.Add
	want := 0
	for asked := 1; asked <= 3; asked++ {
		for range 1000 {
			show(callAt(0, 1.5e9))
			want++
		}
		syscall.Kill(os.Getpid(), syscall.SIGUSR1)
		for deadline := time.Now().Add(time.Minute); strings.Count(s.text(), "\n") < asked; {
			show(callAt(0, 1.5e9))
			want++
			if time.Now().After(deadline) {
				t.Fatal("nothing was printed")
			}
		}
		if got := s.calls(); got < 1000*asked || got > want {
			t.Errorf("%d calls, of %d", got, want)
		}
	}
	end()
	if got := s.calls(); got != want {
		t.Errorf("%d calls in all, want %d", got, want)
	}
}

// TestSummaryReaderGone: when nobody reads it any more, a trace is over even if
// nothing is called.
func TestSummaryReaderGone(t *testing.T) {
	s := newTestSumming(t, "--summary=only", "-i", "1ms", "--json", "-o", "/dev/full", "f")
	stopped := make(chan struct{})
	end := s.begin(at2s, func() { close(stopped) })
	s.Add(callAt(0, 1.5e9))
	select {
	case <-stopped:
	case <-time.After(time.Minute):
		t.Fatal("it goes on")
	}
	if s.Add(callAt(0, 1.6e9)) {
		t.Error("more calls are wanted")
	}
	end()
}

// BenchmarkSumming is what a call costs that is only added up.
func BenchmarkSumming(b *testing.B) {
	s := newTestSumming(b, "--summary=only", "f")
	end := s.begin(at2s, nil)
	show, c := s.Add, callAt(0, 1.5e9)
	c.Return = c.Entry
	b.ReportAllocs()
	for b.Loop() {
		c.Duration = (c.Duration*6364136223846793005 + 1) >> 40
		show(c)
	}
	b.StopTimer()
	end()
}

//go:build vm

package suite

import (
	"context"
	"strconv"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// TestVMParts has the entry and the return of a function in two events each. Every
// call must come with all four, from two CPUs at a time and beside another plan of
// the function, that is one event; a part that the kernel never sends is missing.
func TestVMParts(t *testing.T) {
	const calls = 1000
	for _, tt := range []struct {
		name  string
		drop  dynevent.Side // of which the second part is never sent
		parts [4]bool       // both of the entry, both of the return
	}{
		{"all", 9, [4]bool{true, true, true, true}},
		{"half an entry", dynevent.Entry, [4]bool{true, false, true, true}},
		{"half a return", dynevent.Return, [4]bool{true, true, true, false}},
	} {
		l := prepare(t, "crew", "@", strconv.Itoa(calls), "0", "1")
		fs, err := tracefs.Find()
		if err != nil {
			t.Fatal(err)
		}
		pid, _ := strconv.Atoi(l.pid)
		armed, stop := armParts(t, host.New(fs), pid, tt.drop)
		seen := readParts(t, armed, l, stop)
		if err := armed.Close(); err != nil {
			t.Error(err)
		}
		for got, n := range seen {
			t.Logf("%s: %v: %d calls", tt.name, got, n)
			if got != tt.parts || n != 2*calls {
				t.Errorf("%s: %d calls with parts %v, want %d with %v", tt.name, n, got, 2*calls, tt.parts)
			}
		}
		if len(seen) == 0 {
			t.Errorf("%s: no calls", tt.name)
		}
	}
}

// armParts traces generic_file_llseek by the probes of two plans as if they were one's,
// and once more. The second part of one side never passes its filter.
func armParts(t *testing.T, h *host.Host, pid int, drop dynevent.Side) (*trace.Trace, context.CancelFunc) {
	t.Helper()
	plans, err := h.Plan([]string{"generic_file_llseek(offset, return)", "generic_file_llseek(offset, file, return)", "generic_file_llseek(offset)"}, host.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	whole, other := plans[0], plans[1]
	whole.Probes = []*plan.Probe{whole.Entry(), other.Entry(), whole.Return(), other.Return()}
	for _, p := range other.Probes {
		p.Plan, p.Part = whole, 1
		if p.Side == drop {
			p.Filter = "common_pid == 0"
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	armed, err := trace.Arm(ctx, h, []*plan.Plan{whole, plans[2]}, trace.Options{Pids: []int{pid}, BufferKB: 16 << 10})
	if err != nil {
		t.Fatal(err)
	}
	return armed, stop
}

// readParts lets the load run and counts the calls of the first plan by which parts
// they have. All parts of a side must be of one call.
func readParts(t *testing.T, armed *trace.Trace, l *loading, stop context.CancelFunc) map[[4]bool]int {
	t.Helper()
	ctx, end := context.WithCancel(context.Background())
	go func() {
		defer stop()
		defer end()
		l.run()
	}()
	seen, others := map[[4]bool]int{}, 0
	for c, err := range armed.Calls(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Plan == 1 {
			others++
			continue
		}
		if c.Orphan || c.Unfinished {
			t.Fatalf("orphan %t, unfinished %t", c.Orphan, c.Unfinished)
		}
		in, in2, out, out2 := c.Event(false, 0), c.Event(false, 1), c.Event(true, 0), c.Event(true, 1)
		seen[[4]bool{in != nil, in2 != nil, out != nil, out2 != nil}]++
		var offset, returned []uint64
		for f, v := range armed.Values(c) {
			switch f.Label {
			case "offset":
				offset = append(offset, v.Uint)
			case "return":
				returned = append(returned, v.Uint)
			}
		}
		// From 1<<32 on the file refuses.
		if offset[0] != offset[len(offset)-1] || returned[0] != returned[len(returned)-1] || offset[0] < 1<<32 && returned[0] != offset[0] {
			t.Fatalf("offset %d, returned %d", offset, returned)
		}
	}
	if others == 0 {
		t.Error("no calls of the other plan")
	}
	return seen
}

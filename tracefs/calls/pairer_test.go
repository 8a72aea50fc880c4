package calls_test

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// Functions f (plan 0) and g (plan 1) have both sides, only and ret one each,
// and cond has a filter on both sides.
const (
	fIn, fOut = 1, 2
	gIn, gOut = 3, 4
	onlyIn    = 5
	onlyOut   = 6
	condIn    = 7
	condOut   = 8
	hIn, hOut = 9, 10
)

var sides = map[int]calls.Side{
	fIn:     {Plan: 0, Paired: true},
	fOut:    {Plan: 0, Paired: true, Return: true},
	gIn:     {Plan: 1, Paired: true},
	gOut:    {Plan: 1, Paired: true, Return: true},
	onlyIn:  {Plan: 2},
	onlyOut: {Plan: 3, Return: true},
	condIn:  {Plan: 4, Paired: true, Filtered: true},
	condOut: {Plan: 4, Paired: true, Filtered: true, Return: true},
	hIn:     {Plan: 2, Paired: true},
	hOut:    {Plan: 2, Paired: true, Return: true},
}

var names = map[string]int{
	"f": fIn, "f.": fOut, "g": gIn, "g.": gOut,
	"only": onlyIn, "ret.": onlyOut, "cond": condIn, "cond.": condOut,
	"h": hIn, "h.": hOut,
}

var formats = func() map[int]*tracefs.Format {
	m := make(map[int]*tracefs.Format)
	for id := range 13 {
		m[id] = &tracefs.Format{ID: id}
	}
	return m
}()

func event(id int, time uint64, cpu, tid int, sp uint64) *tracefs.Event {
	return &tracefs.Event{
		Format: formats[id], Time: time, CPU: cpu, TID: tid, Comm: []byte("comm"),
		Data: binary.LittleEndian.AppendUint64(nil, sp),
	}
}

// parse reads "f 2:10 sp": event name, [cpu/]tid, and the stack pointer as an
// offset into stack a or b. The time counts up.
func parse(t *testing.T, time uint64, line string) *tracefs.Event {
	t.Helper()
	var name, stack string
	var cpu, tid int
	var off uint64
	if _, err := fmt.Sscanf(line, "%s %d/%d %1s%d", &name, &cpu, &tid, &stack, &off); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	id, ok := names[name]
	if !ok {
		t.Fatalf("%q: no such event", line)
	}
	base := map[string]uint64{"a": 0xffffc90000010000, "b": 0xffffc90000004000, "-": 0}[stack]
	return event(id, time, cpu, tid, base+off)
}

func show(c *calls.Call) string {
	var b strings.Builder
	fmt.Fprintf(&b, "plan %d", c.Plan)
	if c.Entry != nil {
		fmt.Fprintf(&b, " in@%d", c.Entry.Time)
	}
	if c.Return != nil {
		fmt.Fprintf(&b, " out@%d", c.Return.Time)
	}
	if c.Duration != 0 {
		fmt.Fprintf(&b, " took %d", c.Duration)
	}
	if c.Orphan {
		b.WriteString(" orphan")
	}
	if c.Unfinished {
		b.WriteString(" unfinished")
	}
	return b.String()
}

func TestPairer(t *testing.T) {
	tests := []struct {
		name   string
		opts   calls.Options
		events []string
		want   []string
		tally  calls.Tally
	}{
		{
			name:   "one call",
			events: []string{"f 0/7 a800", "f. 0/7 a808"},
			want:   []string{"plan 0 in@10 out@20 took 10"},
		},
		{
			name:   "one-sided specs pass through",
			events: []string{"only 0/7 a800", "ret. 0/7 a808", "only 0/7 a700"},
			want:   []string{"plan 2 in@10", "plan 3 out@20", "plan 2 in@30"},
		},
		{
			name:   "recursion",
			events: []string{"f 0/7 a800", "f 0/7 a700", "f. 0/7 a708", "f. 0/7 a808"},
			want:   []string{"plan 0 in@20 out@30 took 10", "plan 0 in@10 out@40 took 30"},
		},
		{
			name:   "recursion whose inner return was missed, delta not known",
			events: []string{"f 0/7 a800", "f 0/7 a784", "f. 0/7 a808"},
			want:   []string{"plan 0 in@10 out@30 took 20", "plan 0 in@20 unfinished"},
			tally:  calls.Tally{Unfinished: 1},
		},
		{
			name:   "recursion whose inner return was missed, delta known",
			opts:   calls.Options{Delta: 8},
			events: []string{"f 0/7 a808", "f 0/7 a792", "f. 0/7 a816"},
			want:   []string{"plan 0 in@10 out@30 took 20", "plan 0 in@20 unfinished"},
			tally:  calls.Tally{Unfinished: 1},
		},
		{
			name:   "no stack pointer: the innermost",
			events: []string{"f 0/7 -0", "f 0/7 -0", "f. 0/7 -0", "f. 0/7 -0"},
			want:   []string{"plan 0 in@20 out@30 took 10", "plan 0 in@10 out@40 took 30"},
		},
		{
			name:   "nested function of another plan",
			events: []string{"f 0/7 a800", "g 0/7 a700", "g. 0/7 a708", "f. 0/7 a808"},
			want:   []string{"plan 1 in@20 out@30 took 10", "plan 0 in@10 out@40 took 30"},
		},
		{
			name:   "interrupt on a stack that lies below",
			events: []string{"f 0/7 a800", "g 0/7 b700", "g. 0/7 b708", "f. 0/7 a808"},
			want:   []string{"plan 1 in@20 out@30 took 10", "plan 0 in@10 out@40 took 30"},
		},
		{
			name:   "interrupt on a stack that lies above",
			events: []string{"f 0/7 b800", "g 0/7 a700", "f 0/7 a600", "f. 0/7 a608", "g. 0/7 a708", "f. 0/7 b808"},
			want: []string{
				"plan 0 in@30 out@40 took 10", "plan 1 in@20 out@50 took 30", "plan 0 in@10 out@60 took 50",
			},
		},
		{
			name:   "interrupt whose return was missed is over when the task goes on",
			events: []string{"f 0/7 b800", "g 0/7 a700", "f. 0/7 b808"},
			want:   []string{"plan 0 in@10 out@30 took 20", "plan 1 in@20 unfinished"},
			tally:  calls.Tally{Unfinished: 1},
		},
		{
			name:   "two specs on one function",
			events: []string{"f 0/7 a800", "g 0/7 a800", "f. 0/7 a808", "g. 0/7 a808"},
			want:   []string{"plan 0 in@10 out@30 took 20", "plan 1 in@20 out@40 took 20"},
		},
		{
			name:   "tail call",
			events: []string{"f 0/7 a800", "g 0/7 a800", "g. 0/7 a808", "f. 0/7 a808"},
			want:   []string{"plan 1 in@20 out@30 took 10", "plan 0 in@10 out@40 took 30"},
		},
		{
			name:   "migration",
			events: []string{"f 0/7 a800", "g 0/8 b800", "f. 3/7 a808"},
			want:   []string{"plan 0 in@10 out@30 took 20", "plan 1 in@20 unfinished"},
			tally:  calls.Tally{Unfinished: 1},
		},
		{
			name:   "idle tasks of two CPUs",
			events: []string{"f 0/0 a800", "f 1/0 a800", "f. 0/0 a808", "f. 1/0 a808"},
			want:   []string{"plan 0 in@10 out@30 took 20", "plan 0 in@20 out@40 took 20"},
		},
		{
			name:   "idle tasks and the tasks of their CPUs' numbers",
			events: []string{"f 0/0 a800", "f 9/1 a800", "f 8/0 a800", "f 9/7 a800", "f. 0/0 a808", "f. 9/1 a808", "f. 8/0 a808", "f. 9/7 a808"},
			want: []string{
				"plan 0 in@10 out@50 took 40", "plan 0 in@20 out@60 took 40", "plan 0 in@30 out@70 took 40", "plan 0 in@40 out@80 took 40",
			},
		},
		{
			name:   "the stack pointers of a call are equal, and others are not taken for it",
			opts:   calls.Options{MaxDepth: 9},
			events: []string{"f 0/7 a800", "f. 0/7 a808", "f. 0/7 a800"},
			want:   []string{"plan 0 out@20 orphan", "plan 0 in@10 out@30 took 20"},
			tally:  calls.Tally{Orphans: 1},
		},
		{
			name:   "return without entry",
			events: []string{"f. 0/7 a808", "f 0/7 a800", "g. 0/7 a708", "f. 0/7 a808"},
			want:   []string{"plan 0 out@10 orphan", "plan 1 out@30 orphan", "plan 0 in@20 out@40 took 20"},
			tally:  calls.Tally{Orphans: 2},
		},
		{
			name:   "filters hold back either side",
			events: []string{"cond. 0/7 a808", "cond 0/7 a800", "f 0/7 a900", "cond 0/7 a700"},
			want:   []string{"plan 0 in@30 unfinished"},
			tally:  calls.Tally{Orphans: 1, Unfinished: 1},
		},
		{
			name:   "never returned: found out by the next entry above",
			events: []string{"f 0/7 a700", "g 0/7 a600", "f 0/7 a800", "f. 0/7 a808"},
			want:   []string{"plan 0 in@10 unfinished", "plan 1 in@20 unfinished", "plan 0 in@30 out@40 took 10"},
			tally:  calls.Tally{Unfinished: 2},
		},
		{
			name:   "never returned: found out by the same function entered again",
			events: []string{"f 0/7 a700", "f 0/7 a700", "f. 0/7 a708"},
			want:   []string{"plan 0 in@10 unfinished", "plan 0 in@20 out@30 took 10"},
			tally:  calls.Tally{Unfinished: 1},
		},
		{
			name:   "never returned: found out by an orphan above",
			events: []string{"f 0/7 a700", "g. 0/7 a808"},
			want:   []string{"plan 1 out@20 orphan", "plan 0 in@10 unfinished"},
			tally:  calls.Tally{Orphans: 1, Unfinished: 1},
		},
		{
			name:   "is over once an orphan above has returned",
			events: []string{"f 0/7 a700", "g. 0/7 a808", "f. 0/7 a708"},
			want:   []string{"plan 1 out@20 orphan", "plan 0 in@10 unfinished", "plan 0 out@30 orphan"},
			tally:  calls.Tally{Orphans: 2, Unfinished: 1},
		},
		{
			name:   "is not over when an orphan that was entered below returns",
			events: []string{"f 0/7 a700", "g. 0/7 a708", "f. 0/7 a708"},
			want:   []string{"plan 1 out@20 orphan", "plan 0 in@10 out@30 took 20"},
			tally:  calls.Tally{Orphans: 1},
		},
		{
			name:   "depth is bounded",
			opts:   calls.Options{Delta: calls.DeltaUnknown, MaxDepth: 2},
			events: []string{"f 0/7 a800", "f 0/7 a700", "f 0/7 a600", "f. 0/7 a608", "f. 0/7 a708", "f. 0/7 a808"},
			want: []string{
				"plan 0 in@10 unfinished", "plan 0 in@30 out@40 took 10",
				"plan 0 in@20 out@50 took 30", "plan 0 out@60 orphan",
			},
			tally: calls.Tally{Orphans: 1, Unfinished: 1, Evicted: 1},
		},
		{
			name:   "tasks are bounded",
			opts:   calls.Options{Delta: calls.DeltaUnknown, MaxTasks: 2},
			events: []string{"f 0/7 a800", "f 0/8 b800", "g 0/7 a700", "f 0/9 b700"},
			want: []string{
				"plan 0 in@20 unfinished", "plan 0 in@10 unfinished",
				"plan 1 in@30 unfinished", "plan 0 in@40 unfinished",
			},
			tally: calls.Tally{Unfinished: 4, Evicted: 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if reflect.DeepEqual(tt.opts, calls.Options{}) {
				tt.opts.Delta = calls.DeltaUnknown
			}
			p := calls.NewPairer(sides, tt.opts)
			var got []string
			for i, line := range tt.events {
				e := parse(t, uint64(10*(i+1)), line)
				for c, ok := p.Add(e); ok; c, ok = p.Next() {
					got = append(got, show(c))
				}
			}
			for c := range p.Rest {
				got = append(got, show(c))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events %q: calls (-want +got):\n%s", tt.events, diff)
			}
			if diff := cmp.Diff(tt.tally, p.Tally()); diff != "" {
				t.Errorf("events %q: tally (-want +got):\n%s", tt.events, diff)
			}
		})
	}
}

package report

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/tracefs"
)

// Calls that do not fit into the memory are counted, and no more of them is kept; nor of
// functions, losses and times, however many there are.
func TestMemory(t *testing.T) {
	const most, n = 1 << 20, 50_000
	var page bytes.Buffer
	var warnings []string
	r := New(output.To{Context: context.Background(), W: &page, Warn: func(format string, args ...any) {
		warnings = append(warnings, fmt.Sprintf(format, args...))
	}}, Options{}).(*reporter)
	r.mostBytes = most
	trace := &call.Trace{Name: "t", Origin: &tracefs.Origin{}}
	r.Begin(trace)
	item := &call.Item{Name: "x", Type: "char *"}
	for i := range uint64(n) {
		c := &call.Call{Trace: trace, Func: &call.Func{Name: fmt.Sprint("f", i)}, Time: 1 << (i % 60), TID: int(i), Comm: fmt.Append(nil, "comm", i), Timed: true, Duration: i,
			Args: []call.Value{{Item: item, Typed: json.Typed{Kind: json.Text, Text: bytes.Repeat([]byte("y"), 10)}}}, Stack: []string{fmt.Sprint("s", i)}}
		c.Args[0].Text = fmt.Append(c.Args[0].Text, i)
		r.Call(c)
		r.Loss(&call.Loss{Trace: trace, Kind: call.LostHere, Time: 1, Count: 1, Known: true})
		r.Loss(&call.Loss{Trace: trace, Kind: call.MissedCalls, Func: "f", Count: 1})
	}
	listed := len(r.calls.at)
	if size := r.calls.size(); size > most+most/2 || listed == 0 || listed > n/2 {
		t.Errorf("%d calls take %d bytes", listed, size)
	}
	if len(r.sums.rows) > mostFunctions+1 || len(r.heat.cells) > heatColumns || len(r.losses.marks) > mostMarks || len(r.losses.notes) > mostNotes {
		t.Errorf("%d functions, %d columns, %d marks, %d notes", len(r.sums.rows), len(r.heat.cells), len(r.losses.marks), len(r.losses.notes))
	}
	r.End(trace)
	if err := r.Close(nil); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("the timeline and the list have the first %d of %d calls; the summary and the heat map count all; there is no memory for more", listed, n)
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], want) || !strings.Contains(page.String(), want) {
		t.Errorf("the warning is %q, want %q", warnings, want)
	}
	total := uint64(0)
	for _, row := range r.sums.rows {
		total += row.Calls
	}
	for i := range r.heat.cells {
		for _, n := range r.heat.cells[i] {
			total += n
		}
	}
	if total != 2*n {
		t.Errorf("summary and heat map count %d calls", total)
	}
}

// A text that is longer than the page shows is cut, and says so.
func TestCut(t *testing.T) {
	long := strings.Repeat("x", longest+5)
	for _, v := range []json.Typed{{Kind: json.Text, Text: []byte(long)}, {Kind: json.Bytes, Text: []byte(long)}, {Kind: json.Tree, Text: []byte(long)}} {
		got := string(appendValue(nil, &call.Value{Item: &call.Item{Type: "char *"}, Typed: v}))
		if len(got) > longest+40 || !strings.HasSuffix(got, "… (5 more bytes)") {
			t.Errorf("%d bytes that end with %q", len(got), got[len(got)-30:])
		}
	}
}

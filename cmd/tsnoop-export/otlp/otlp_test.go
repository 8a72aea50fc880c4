package otlp

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/input"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp/env"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/tracefs"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
)

var update = flag.Bool("update", false, "write testdata/lines.txt")

// exported returns what is received of lines of JSON, and the warnings.
func exported(t *testing.T, lines string, o Options) (*received, string) {
	t.Helper()
	var warned bytes.Buffer
	r := &received{t: t}
	x := newExporter(output.To{Context: t.Context(), Warn: func(f string, args ...any) { fmt.Fprintf(&warned, f+"\n", args...) }}, o, r,
		[][2]string{{"service.name", "tsnoop"}, {"host.name", "not this one"}})
	if err := input.Lines(t.Context(), strings.NewReader(lines), "lines", x); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(nil); err != nil {
		t.Fatal(err)
	}
	if x.waiting != 0 {
		t.Errorf("%d bytes wait in the end", x.waiting)
	}
	return r, warned.String()
}

func attrs(all []*common.KeyValue) (text string) {
	for _, a := range all {
		text += "\n  " + a.Key + ": " + value(a.Value)
	}
	return text
}

// dump returns all spans and log records as text.
func (r *received) dump() (text string) {
	for _, s := range r.spans {
		text += fmt.Sprintf("%s %d-%d %v %v %q parent %x%s\n", s.Name, s.StartTimeUnixNano, s.EndTimeUnixNano, s.Kind, s.GetStatus().GetCode(), s.GetStatus().GetMessage(), s.ParentSpanId, attrs(s.Attributes))
	}
	for _, l := range r.records {
		text += fmt.Sprintf("%s %d %d %s %s in %x%s\n", value(l.Body), l.TimeUnixNano, l.ObservedTimeUnixNano, l.SeverityText, l.EventName, l.SpanId, attrs(l.Attributes))
	}
	return text
}

// All that a line can have becomes attributes, with types, and hostile text cannot do harm.
func TestMessages(t *testing.T) {
	lines, err := os.ReadFile("testdata/lines.json")
	if err != nil {
		t.Fatal(err)
	}
	r, warned := exported(t, string(lines), Options{Nest: time.Second})
	got := r.dump()
	for _, name := range []string{"h"} {
		got += "resource" + attrs(r.resources[name].Attributes) + "\n"
	}
	got += warned
	if *update {
		if err := os.WriteFile("testdata/lines.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s\nall of it:\n%s", diff, got)
	}
}

// A recording has the same ids each time, and other calls have others.
func TestIDs(t *testing.T) {
	all := map[string]bool{}
	for range 2 {
		for _, name := range []string{"threads.dat", "read.trace.dat", "sample.dat"} {
			f, err := os.Open("../../../testdata/recordings/" + name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			info, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			r := &received{t: t}
			x := newExporter(output.To{Context: t.Context(), Warn: t.Logf}, Options{Nest: time.Second}, r, nil)
			if err := input.Recording(t.Context(), f, info.Size(), name, x, func(tracefs.Warning) {}); err != nil {
				t.Fatal(err)
			}
			if err := x.Close(nil); err != nil || len(r.spans) == 0 {
				t.Fatal(err, len(r.spans))
			}
			for _, s := range r.spans {
				all[hex.EncodeToString(s.SpanId)+hex.EncodeToString(s.TraceId)] = true
				if len(s.SpanId) != 8 || len(s.TraceId) != 16 {
					t.Errorf("%x %x", s.SpanId, s.TraceId)
				}
			}
		}
	}
	if len(all) != 9 {
		t.Errorf("%d ids of 9 calls", len(all))
	}
}

// Equal calls have ids of their own.
func TestEqualCalls(t *testing.T) {
	line := `{"ts_ns":5,"cpu":0,"tid":7,"comm":"a","func":"f","duration_ns":3,"end_ns":8}` + "\n"
	r, _ := exported(t, strings.Repeat(line, 3), Options{})
	ids := map[string]bool{}
	for _, s := range r.spans {
		ids[string(s.SpanId)] = true
	}
	if len(ids) != 3 {
		t.Errorf("%d ids", len(ids))
	}
}

// The first error of a sink ends the export.
func TestFails(t *testing.T) {
	r := &received{t: t, fail: errors.New("gone")}
	x := newExporter(output.To{Context: t.Context(), Warn: t.Errorf}, Options{}, r, nil)
	trace := &call.Trace{Origin: &tracefs.Origin{}}
	n := 0
	for ; n < 10*batchItems; n++ {
		c := &call.Call{Trace: trace, Func: &call.Func{Name: "f"}, Time: uint64(n), Wall: int64(n) + 1, Timed: true}
		if err := x.Call(c); err != nil {
			break
		}
	}
	if n != batchItems-1 {
		t.Errorf("%d calls", n)
	}
	if err := x.Close(r.fail); err != r.fail || r.requests[env.Traces] != 1 {
		t.Errorf("%v, %v", err, r.requests)
	}
}

// Nothing is sent of an export that was interrupted, beyond what was sent.
func TestInterrupted(t *testing.T) {
	r := &received{t: t}
	x := newExporter(output.To{Context: t.Context()}, Options{}, r, nil)
	x.Call(&call.Call{Trace: &call.Trace{Origin: &tracefs.Origin{}}, Func: &call.Func{Name: "f"}, Wall: 1, Timed: true})
	if err := x.Close(context.Canceled); err != nil || r.items[env.Traces] != 0 {
		t.Errorf("%v, %v", err, r.items)
	}
}

// An export does not allocate for each call.
func TestAllocations(t *testing.T) {
	x := newExporter(output.To{Context: t.Context()}, Options{Nest: time.Millisecond}, discard{}, nil)
	c := &call.Call{Trace: &call.Trace{Origin: &tracefs.Origin{Host: "h"}}, Func: &call.Func{Name: "vfs_read"}, Wall: 1, PID: 1, TID: 1, Comm: []byte("cat"),
		Args: []call.Value{{Item: &call.Item{Name: "count"}}}, Timed: true, Duration: 100, Stack: []string{"a", "b"}}
	c.Args[0].Kind = 2
	next := func() {
		for range 10_000 {
			c.Time += 1000
			c.Wall += 1000
			c.TID = 1 + int(c.Time/1000)%7
			if x.Call(c) != nil {
				t.Error("failed")
			}
		}
	}
	next()
	if n := testing.AllocsPerRun(10, next); n > 100 {
		t.Errorf("%v allocations for 10,000 calls", n)
	}
}

// discard is a sink that drops all.
type discard struct{}

func (discard) Send(env.Signal, []byte, int) error { return nil }
func (discard) Close(error) error                  { return nil }

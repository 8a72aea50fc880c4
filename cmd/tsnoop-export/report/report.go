// Package report writes a page of HTML: a summary, a heat map, and a timeline of calls that can be
// opened. The page is one file, which loads nothing, also from a network.
package report

import (
	"cmp"
	"context"
	"errors"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
)

// Options are the flags of this output.
type Options struct {
	Calls int // the most calls that are listed, 0 for mostCalls
}

const (
	mostCalls = 100_000
	// limitCalls is how many rows of a list browsers can still scroll to.
	limitCalls = 400_000
	// mostBytes is about how much memory listed calls may take.
	mostBytes = 96 << 20
)

// Flags returns the flags that set o.
func Flags(o *Options) []program.Row {
	return []program.Row{{Name: "calls", Form: " N", Text: "list the first N calls (default 100000, at most 400000) that fit into 96 MiB; the summary and the heat map count all",
		Value: program.Number(&o.Calls, 1, limitCalls), Takes: "is a number up to 400000", Example: "tsnoop-export report --calls 1000 trace.dat >trace.html"}}
}

// A reporter is the [output.Output].
type reporter struct {
	to        output.To
	most      int // calls
	mostBytes int

	line   line
	all    uint64 // calls, also those that are not listed
	calls  columns
	sums   sums
	heat   heat
	losses lost
}

// New returns the output.
func New(to output.To, o Options) output.Output {
	return &reporter{to: to, most: cmp.Or(o.Calls, mostCalls), mostBytes: mostBytes, calls: newColumns(), sums: newSums(), losses: newLost()}
}

func (r *reporter) Begin(t *call.Trace) error {
	r.line.add(t)
	return nil
}

func (r *reporter) Call(c *call.Call) error {
	at := r.line.at(c)
	if r.all++; len(r.calls.at) < r.most && r.calls.size() < r.mostBytes {
		r.calls.add(c, at, r.line.of[c.Trace])
	}
	r.sums.add(c)
	if c.Timed {
		r.heat.add(at, c.Duration)
	}
	return nil
}

func (r *reporter) Loss(l *call.Loss) error {
	r.losses.add(l, &r.line)
	return nil
}

func (r *reporter) End(t *call.Trace) error {
	r.line.end(t)
	return nil
}

// Close writes the page. That of an interrupted export says so.
func (r *reporter) Close(missing error) error {
	if left := r.all - uint64(len(r.calls.at)); left > 0 && !errors.Is(missing, context.Canceled) {
		r.to.Warn("%s", leftOut(len(r.calls.at), r.all, r.most))
	}
	return r.write(missing)
}

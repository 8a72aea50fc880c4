// Package input reads what is exported: recordings, and the JSON lines that tsnoop writes. An
// output gets the same calls from both.
package input

import (
	"context"
	"io"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/losses"
	"github.com/tsnoop/tsnoop/tracefs/replay"
)

// A Damaged says that an input, or a part of it, cannot be read. All else was
// exported; of lines only those before it.
type Damaged struct{ Err error }

func (d *Damaged) Error() string { return d.Err.Error() + "; what could be read is exported" }

func (d *Damaged) Unwrap() error { return d.Err }

// Recording exports the calls of a trace.dat file of size bytes. It returns a [*Damaged] if
// not all of them could be read.
func Recording(ctx context.Context, f io.ReaderAt, size int64, name string, to output.Output, warn func(tracefs.Warning)) error {
	file, err := replay.Open(f, size, replay.Options{Name: name, Warn: warn, Process: true, Symbols: true, AnyStack: true})
	if err != nil {
		return err
	}
	trace := &call.Trace{Name: name, Origin: file.Origin}
	if err := to.Begin(trace); err != nil {
		return err
	}
	if err := exportCalls(ctx, file, trace, to); err != nil {
		return err
	}
	l := file.Losses()
	l.Report(warn)
	if err := exportLosses(l, trace, to); err != nil {
		return err
	}
	if err := to.End(trace); err != nil {
		return err
	}
	if err := file.Damage(); err != nil {
		return &Damaged{err}
	}
	return nil
}

func exportCalls(ctx context.Context, file *replay.File, trace *call.Trace, to output.Output) error {
	c := newConverter(&file.Stream, trace)
	var failed error
	file.Lost = func(e *tracefs.Event) {
		if failed == nil {
			failed = to.Loss(&call.Loss{Trace: trace, Kind: call.LostHere, Time: e.Time, CPU: e.CPU, Count: known(e.Lost), Known: e.Lost != tracefs.LostUnknown})
		}
	}
	for one, err := range file.Calls(ctx) {
		if err != nil {
			return err
		}
		if failed != nil {
			return failed
		}
		if err := to.Call(c.convert(one)); err != nil {
			return err
		}
	}
	if failed != nil {
		return failed
	}
	return ctx.Err()
}

func known(lost uint64) uint64 {
	if lost == tracefs.LostUnknown {
		return 0
	}
	return lost
}

// exportLosses gives an output what tsnoop --json writes at the end of a trace.
func exportLosses(l *losses.Losses, trace *call.Trace, to output.Output) error {
	var all []call.Loss
	if n := l.Events() - l.Damaged.Min; n > 0 {
		all = append(all, call.Loss{Kind: call.LostTotal, Count: n, Known: true})
	}
	for i := range l.SwitchedOff {
		all = append(all, call.Loss{Kind: call.SwitchedOff, Func: l.SwitchedOff[i].Func, Time: l.SwitchedOff[i].Time, SwitchedOff: &l.SwitchedOff[i]})
	}
	for i := range l.Interfered {
		all = append(all, call.Loss{Kind: call.Interfered, Func: l.Interfered[i].Func, Interference: &l.Interfered[i]})
	}
	for _, m := range l.Missed {
		kind := call.MissedCalls
		if m.Return {
			kind = call.MissedReturns
		}
		all = append(all, call.Loss{Kind: kind, Func: m.Func, Count: m.Calls, Known: true, AtMost: m.AtMost})
	}
	for _, u := range l.Unfinished {
		kind := call.UnfinishedCalls
		if u.Earlier {
			kind = call.EarlierCalls
		}
		all = append(all, call.Loss{Kind: kind, Func: u.Func, Count: u.Calls, Known: true})
	}
	for i := range all {
		all[i].Trace = trace
		if err := to.Loss(&all[i]); err != nil {
			return err
		}
	}
	return nil
}

// options says how to understand values, as for JSON.
func (c *converter) options() render.Options {
	r := c.stream
	return render.Options{Process: r.Process, Start: r.Start, Clock: r.Wall.At, Order: r.Order, Symbol: r.Symbol, IsCode: r.IsCode, IsName: r.IsName, Zone: time.UTC}
}

// Package output writes what a trace shows, live or recorded, to the file that the
// command line names: calls, sums of calls, and what is not shown.
package output

import (
	"cmp"
	"errors"
	"iter"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/losses"
	"github.com/tsnoop/tsnoop/tracefs/stream"
)

// An Output shows calls as the command line asks.
type Output struct {
	o     *flags.Options
	ui    *terminal.UI
	file  *File    // nil before Open
	sums  *summing // nil if none are wanted
	total *total   // for the last line on stderr; nil if there is none

	about *render.Recording // that messages are about, if there are several

	mu     sync.Mutex        // guards the fields below
	stream *render.Stream    // nil before begin
	early  []tracefs.Warning // received before begin
}

// New returns an output that is not open yet. If there will be summaries, SIGUSR1 asks
// for one from now on.
func New(o *flags.Options, ui *terminal.UI) *Output {
	if o.Show.Time == render.TimeClock || o.TimeOfDay() {
		switch zone, ok := zoneOf(os.Getenv("TZ")); {
		case zone != nil:
			time.Local = zone
		case !ok:
			ui.Warn("TZ=%s is not a time zone of this host, so times are in UTC: name one, as TZ=Asia/Tokyo or as TZ=EST5EDT,M3.2.0,M11.1.0", os.Getenv("TZ"))
		}
	}
	return &Output{o: o, ui: ui, sums: newSumming(o), total: newTotal(o, ui)}
}

// Open opens the file.
func (out *Output) Open() (err error) {
	out.file, err = Create(out.o)
	return err
}

// File returns the file, which is open.
func (out *Output) File() *os.File { return out.file.File }

// Live says that the trace is live and not a recording: intervals are in the time that
// now returns, in ns on the trace clock, and the trace ends with stop.
func (out *Output) Live(now func() uint64, stop func()) {
	out.sums.live(now, stop)
	out.total.live(now)
}

// Warn receives the engine's warnings and writes those that belong to the data. It may
// be called by several goroutines, also before Show.
func (out *Output) Warn(w tracefs.Warning) {
	if w.Interference == nil && w.SwitchOff == nil || !out.lines() {
		return
	}
	out.mu.Lock()
	defer out.mu.Unlock()
	if out.stream == nil {
		out.early = append(out.early, w)
		return
	}
	out.show(w)
}

// show writes a warning that belongs to the data. The mutex must be held.
func (out *Output) show(w tracefs.Warning) {
	if w.Interference != nil {
		out.stream.Interfered(w.Interference)
	}
	if w.SwitchOff != nil {
		out.stream.SwitchedOff(w.SwitchOff)
	}
}

// lines reports whether calls are shown, and not only their sums.
func (out *Output) lines() bool { return out.o.Summary != "only" }

// Show writes the calls and sums them up, until there are no more or enough are shown.
func (out *Output) Show(r *stream.Stream, all iter.Seq2[*calls.Call, error]) error {
	from := sources(r, 0)
	sink := out.o.Notation.Sink(from, out.options(r))
	out.begin(sink)
	if o := r.Origin; o != nil {
		out.stream.Origin(o)
	}
	if out.total != nil {
		all = out.total.count(all, from, r.Began(), r.Order)
	}
	r.Lost, r.Idle, r.Further = out.lost, out.stream.Idle, out.grow(r)
	if out.o.Show.Time == render.TimeClock {
		r.ClockSet = out.clockSet
	}
	defer out.sums.begin(from, r, sink, out)()
	return out.each(all)
}

// each writes the calls and sums them up.
func (out *Output) each(all iter.Seq2[*calls.Call, error]) error {
	lines, n := out.lines(), 0
	defer out.stream.Idle()
	for c, err := range all {
		if err != nil {
			return err
		}
		if out.sums != nil && !out.sums.Add(c) || lines && !out.stream.Show(c) {
			return nil
		}
		if !c.Begun {
			n++
		}
		if n == out.o.Count && n > 0 {
			return nil
		}
	}
	return nil
}

// options says how to render what is read.
func (out *Output) options(r *stream.Stream) render.Options {
	ro := out.shown()
	ro.Process = r.Process
	ro.Start, ro.Clock, ro.Order, ro.Symbol, ro.IsCode, ro.IsName = r.Start, r.Wall.At, r.Order, r.Symbol, r.IsCode, r.IsName
	return ro
}

// shown says how to render anything.
func (out *Output) shown() render.Options {
	ro := out.o.Show
	ro.Header, ro.Color = out.file.terminal && out.lines(), out.file.color
	if out.file.terminal {
		// To ask for each line costs less than to handle SIGWINCH, since each line is
		// written to a terminal separately.
		ro.Columns = func() int { return terminal.Columns(out.file.File) }
		if out.sums != nil && out.sums.now != nil {
			ro.Rows = func() int { return terminal.Rows(out.file.File) }
		}
	}
	return ro
}

// begin sets the sink that shows the calls.
func (out *Output) begin(sink render.Sink) {
	out.mu.Lock()
	defer out.mu.Unlock()
	out.stream = render.NewStream(out.file, sink, out.file.terminal)
	for _, w := range out.early {
		out.show(w)
	}
	out.early = nil
}

// lost receives what the kernel has lost between two calls.
func (out *Output) lost(e *tracefs.Event) {
	if out.lines() {
		out.stream.Lost(e)
	}
	if out.sums != nil {
		out.sums.Lose(e)
	}
	if out.total != nil {
		out.total.Lose(e)
	}
}

// clockSet reports that the host's clock was set.
func (out *Output) clockSet(i tracefs.Interference) {
	out.ui.Warn("%s (%s was %s)", i.Text, i.After, i.Before)
	if out.lines() {
		out.stream.Interfered(&i)
	}
}

// grow returns a function that adds the plans that are armed while a trace runs.
func (out *Output) grow(r *stream.Stream) func() {
	shown := len(r.Plans)
	return func() {
		further := sources(r, shown)
		shown += len(further)
		if out.sums != nil {
			out.sums.Grow(further, func() { out.stream.Add(further) })
		} else {
			out.stream.Add(further)
		}
		if out.total != nil {
			out.total.Grow(further)
		}
	}
}

// sources returns the plans from index from on, with the decoders of their events.
func sources(r *stream.Stream, from int) []render.Source {
	var sources []render.Source
	for _, p := range r.Plans[from:] {
		s := render.Source{Plan: p}
		for _, probe := range p.Probes {
			s.Decoders = append(s.Decoders, r.Decoder(probe))
		}
		sources = append(sources, s)
	}
	return sources
}

// Losses reports what the trace did not show, on stderr and in the data.
func (out *Output) Losses(l *losses.Losses) {
	out.losses(l, out.ui)
	out.total.say(out.ui, l)
}

// losses is Losses without the last line.
func (out *Output) losses(l *losses.Losses, ui *terminal.UI) {
	l.Report(ui.PrintWarning)
	if !out.lines() {
		return
	}
	if l.Events() > l.Damaged.Min {
		out.stream.LostTotal(l.CPUs)
	}
	if l.Recorded { // otherwise Warn has shown these when they happened
		for i := range l.SwitchedOff {
			out.stream.SwitchedOff(&l.SwitchedOff[i])
		}
	}
	if l.Part { // the rest is about all of the recording
		return
	}
	if l.Recorded {
		for i := range l.Interfered {
			out.stream.Interfered(&l.Interfered[i])
		}
	}
	for _, m := range l.Missed {
		out.stream.Missed(m.Func, m.Return, m.Calls, m.AtMost)
	}
	for _, u := range l.Unfinished {
		out.stream.Unfinished(u.Func, u.Calls, u.Earlier)
	}
}

// Origin shows where and when the trace was made, with its end.
func (out *Output) Origin(o *tracefs.Origin) {
	if o != nil && out.stream != nil {
		out.stream.Origin(o)
	}
}

// Close writes the rest. It is not an error if the reader has gone away.
func (out *Output) Close() (err error) {
	if out.stream != nil {
		err = out.stream.Close()
	}
	err = cmp.Or(err, out.file.Close())
	// A terminal that has hung up takes nothing more.
	if errors.Is(err, syscall.EPIPE) || out.file.terminal && errors.Is(err, syscall.EIO) {
		return nil
	}
	return err
}

package main

import (
	"math"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/merge"
	"github.com/tsnoop/tsnoop/tracefs/replay"
	"github.com/tsnoop/tsnoop/tracefs/stream"
)

// setWindow sets the part of a recording that the command line asks for.
func setWindow(r *replay.File, name string, o *flags.Options) error {
	if !o.Windowed() {
		return nil
	}
	z := &windower{name: name, boot: o.Show.Time == render.TimeBoot, start: r.Start, end: r.End, when: r.Wall.When}
	if add := r.Wall.At(r.Start); r.IsOwn() && add != 0 {
		z.known, z.wall = true, add+int64(r.Start)
	}
	first, last, err := z.window(o)
	if err != nil {
		return err
	}
	if first <= r.Start {
		first = 0 // calls whose entries were not seen are also of the window
	}
	r.Window = stream.NewWindow(first, last)
	return nil
}

// setTimelineWindow sets the part of several recordings that the command line asks for.
func setTimelineWindow(t *merge.Timeline, o *flags.Options) error {
	if !o.Windowed() {
		return nil
	}
	z := &windower{boot: o.Show.Time == render.TimeBoot, start: t.Start, end: t.End}
	add, unknown := t.ToWall()
	if unknown != nil {
		z.name = unknown.Name
	} else {
		z.known, z.wall = true, int64(t.Start)+add
		z.when = func(wall int64) (first, last uint64) {
			at := uint64(max(wall-add, 0))
			return at, at
		}
	}
	first, last, err := z.window(o)
	if err != nil {
		return err
	}
	t.SetWindow(first, last)
	return nil
}

// A windower converts times of the command line to those of a recording, or of several.
type windower struct {
	name  string
	boot  bool   // numbers are since the host booted
	start uint64 // when it began, in ns on the trace clock
	end   func() uint64

	known bool                                  // the time of day is
	wall  int64                                 // at start, in ns since 1970
	when  func(wall int64) (first, last uint64) // the times at which the clock of the host showed wall
}

// window returns the first and the last time that are asked for, 0 for none.
func (z *windower) window(o *flags.Options) (first, last uint64, err error) {
	if first, _, err = z.timeOf("from", &o.From); err != nil {
		return 0, 0, err
	}
	if _, last, err = z.timeOf("to", &o.To); err != nil {
		return 0, 0, err
	}
	if o.From.Text != "" && o.To.Text != "" && first > last {
		return 0, 0, flags.Errorf("exchange the two, or give times of day with their dates, as '2026-11-24 14:03:05'", "--from %s is after --to %s", o.From.Text, o.To.Text)
	}
	return first, last, nil
}

// timeOf returns the first and the last time on the trace clock that are shown as w, 0 if
// there is no w.
func (z *windower) timeOf(flag string, w *flags.When) (first, last uint64, err error) {
	switch {
	case w.Text == "":
		return 0, 0, nil
	case w.IsClock():
		if first, last, err = z.clockTime(flag, w); err != nil {
			return 0, 0, err
		}
	default:
		first = uint64(w.Since)
		if !z.boot {
			first = later(first, z.start)
		}
		last = later(first, shownTo(int64(w.Since)))
	}
	return first, max(last, 1), nil
}

// later returns the sum of two times, or the last time that there is.
func later(t, by uint64) uint64 {
	if t > math.MaxUint64-by {
		return math.MaxUint64
	}
	return t + by
}

// shownTo returns how much later a time can be, in ns, and be shown as ns: lines show µs.
func shownTo(ns int64) uint64 {
	if ns%1000 == 0 {
		return 999
	}
	return 0
}

// clockTime converts a time of day. One without a date is on the day on which the recording
// began, or on the next one, if the recording has that.
func (z *windower) clockTime(flag string, w *flags.When) (first, last uint64, err error) {
	if !z.known {
		return 0, 0, flags.Errorf("give the time since it began: tsnoop replay --"+flag+" 1.5s FILE", "--%s %s: %s does not contain the time of day", flag, w.Text, z.name)
	}
	at := w.Clock
	began := time.Unix(0, z.wall)
	if !w.Zone {
		day := at
		if !w.Date {
			day = began
		}
		at = time.Date(day.Year(), day.Month(), day.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.Local)
	}
	first, last = z.when(wallOf(at))
	if !w.Date && last < z.start {
		next := at.AddDate(0, 0, 1)
		if f, l := z.when(wallOf(next)); f <= z.end() {
			first, last = f, l
		}
	}
	return first, later(last, shownTo(int64(at.Nanosecond()))), nil
}

// wallOf returns the ns since 1970, of a year that can be that of a recording.
func wallOf(t time.Time) int64 {
	switch {
	case t.Year() < 1970:
		return 0
	case t.Year() > 2100:
		return math.MaxInt64 / 2
	}
	return t.UnixNano()
}

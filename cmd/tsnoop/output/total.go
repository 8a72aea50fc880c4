package output

import (
	"encoding/binary"
	"iter"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/losses"
)

// A total prints the last line on stderr. A nil one prints nothing.
type total struct {
	*sum.Total // nil before show

	now func() uint64 // ns on the trace clock; nil if the end is the time of the last call
	end uint64        // time on the trace clock after the last call, 0 if not known
}

// newTotal returns nil if the last line is not wanted: stderr is not a terminal, the
// summary says everything, or only one call was asked for.
func newTotal(o *flags.Options, ui *terminal.UI) *total {
	if !ui.Terminal || o.Summary != "" || o.Count == 1 {
		return nil
	}
	return &total{}
}

// live says that the trace is live: it ends when it is ended, not with its last call.
func (t *total) live(now func() uint64) {
	if t != nil {
		t.now = now
	}
}

// count counts the calls while they are yielded, from a time on. from are the sources so far.
func (t *total) count(all iter.Seq2[*calls.Call, error], from []render.Source, began uint64, order binary.ByteOrder) iter.Seq2[*calls.Call, error] {
	t.Total = sum.NewTotal(from, began, order)
	return func(yield func(*calls.Call, error) bool) {
		defer func() {
			if t.now != nil {
				t.end = t.now()
			}
		}()
		for c, err := range all {
			if err == nil {
				t.Add(c)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// say prints the totals, with the losses of all that was read.
func (t *total) say(ui *terminal.UI, all ...*losses.Losses) {
	if t == nil || t.Total == nil {
		return
	}
	m := sum.Missing{Counted: true}
	for _, l := range all {
		addMissing(&m, l)
	}
	ui.Warn("%s", t.Append(nil, t.end, m))
}

func addMissing(m *sum.Missing, l *losses.Losses) {
	kept := l.Kept
	if l.Part {
		kept = losses.Kept{}
	}
	m.Counted = m.Counted && l.Err == nil && len(l.CPUs) > 0
	m.Lost, m.Unsure = m.Lost+l.Events(), m.Unsure+kept.Unsure
	for _, u := range kept.Unfinished {
		if !u.Earlier {
			m.Unfinished += u.Calls
		}
	}
	for i := range l.SwitchedOff {
		m.SwitchedOff = append(m.SwitchedOff, l.SwitchedOff[i].Name)
	}
	for _, missed := range kept.Missed {
		m.Missed += missed.Calls
	}
}

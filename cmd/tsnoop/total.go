package main

import (
	"iter"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// A total is what the last line on stderr says. A nil one says nothing.
type total struct {
	*render.Total // nil before the first call can come

	now func() uint64 // ns on the trace clock; nil: the time is that of the last call
	end uint64        // when there were no more calls, 0 if that is not known
}

// newTotal is nil where the last line would be in the way: a script reads stderr, the
// summary says it all, or nobody asks how many one call is.
func newTotal(o *options, ui *ui) *total {
	if !ui.terminal || o.summary != "" || o.count == 1 {
		return nil
	}
	return &total{}
}

// live says that the trace ends when it is ended, not with the last call.
func (t *total) live(now func() uint64) {
	if t != nil {
		t.now = now
	}
}

// count counts the calls, of the sources and of those that r will have.
func (t *total) count(all iter.Seq2[*calls.Call, error], from []render.Source, r *trace.Reading) iter.Seq2[*calls.Call, error] {
	t.Total = render.NewTotal(from, r.Start(), r.Order())
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

// say says what all came to.
func (t *total) say(l *trace.Losses, ui *ui) {
	if t == nil || t.Total == nil {
		return
	}
	m := render.Missing{Counted: l.Err == nil && len(l.CPUs) > 0, Lost: l.Events(), Unsure: l.Unsure}
	for _, missed := range l.Missed {
		m.Missed += missed.Calls
	}
	ui.warn("%s", t.Append(nil, t.end, m))
}

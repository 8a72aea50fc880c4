package replay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/amend"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/losses"
	"github.com/tsnoop/tsnoop/tracefs/stream"
	"github.com/tsnoop/tsnoop/tracefs/text"
)

// A Text is what somebody has copied out of trace or trace_pipe on a machine that was
// given the lines of plans, and everything needed to understand its events.
//
// It is read as it comes, so it may be a pipe. Its times are in µs where a recording
// has ns, and it lacks the names of tasks that the kernel did not remember. It has no
// stack pointers, so a return is paired with the latest entry of its task.
type Text struct {
	stream.Stream
	name    string
	parser  *text.Parser
	chooser *chooser
	first   *tracefs.Event // read already
	events  func() (*tracefs.Event, error, bool)
	close   func()
}

// tracedatFirst is the first byte of every trace.dat file.
const tracedatFirst = 0x17

// IsText reports whether in holds text, for OpenText, and not a trace.dat file. It
// consumes nothing.
func IsText(in *bufio.Reader) bool {
	head, _ := in.Peek(512)
	return len(head) > 0 && head[0] != tracedatFirst && bytes.IndexByte(head, 0) < 0
}

// ErrNothing says that a text has no event of the plans.
var ErrNothing = errors.New("no event of the specs")

// OpenText reads text up to the first event of the plans. The plans must be made with
// PlanOptions.Lines from the same specs as the lines that the machine was given. If
// there is no such event the error wraps ErrNothing. The caller must close the Text.
func OpenText(r io.Reader, plans []*plan.Plan, o Options) (*Text, error) {
	t := &Text{Stream: stream.Stream{Warner: o.Warn, Order: binary.LittleEndian, Plans: plans, Amend: amend.New(binary.LittleEndian, amend.Times{})}, name: o.Name}
	for i, p := range plan.Probes(plans) {
		f, doubts := text.WithDoubts(textFormat(p, i+1))
		l, err := t.Understand(p, f)
		if err != nil {
			return nil, err
		}
		l.Decoder.Doubts(doubts, whys)
		t.Take(l)
	}
	if t.Amend.HasAges() {
		t.Warner.Warnf("%s: text does not show which clock its times are from, so :ago is not known; a recording contains it", t.name)
	}
	for _, p := range plans {
		if p.Paired() && slices.ContainsFunc(p.Of(dynevent.Entry), (*plan.Probe).Chooses) {
			t.Warner.Warnf("%s: the line's filter leaves out entries, so where a return was missed the next one may be shown with an earlier entry", p.Spec.Func.Text)
		}
	}
	t.chooser = choose(&t.Stream, o.Choice)
	t.parser = text.NewParser(text.Options{Formats: t.Formats, Pasted: true, Order: t.Order})
	t.Symbol, t.IsCode = t.parser.Symbols.Name, func(uint64) bool { return false }
	t.IsName = func(addr uint64) bool { _, _, _, ok := t.Symbol(addr); return ok }
	if err := t.Pair(o.Begin, o.Chain); err != nil {
		return nil, err
	}
	t.events, t.close = iter.Pull2(t.parser.Events(r))
	e, err, ok := t.events()
	switch {
	case err != nil:
		t.Close()
		return nil, fmt.Errorf("%s: %w", t.name, err)
	case !ok:
		t.Close()
		return nil, t.nothing()
	}
	t.first, t.Start = e, e.Time
	return t, nil
}

// whys maps the doubts that text leaves to those of a value.
var whys = []value.FaultReason{text.MaybeNext: value.MaybeNext, text.MaybeLonger: value.MaybeLonger}

// Close ends the reading.
func (t *Text) Close() error {
	t.close()
	return nil
}

// nothing says what the text has instead of events of the plans.
func (t *Text) nothing() error {
	if err := t.parser.Err(); err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	has := "nor of any other"
	if names := t.others(); names != "" {
		has = "but of " + names
	}
	return fmt.Errorf("%s: %w is in the text, %s", t.name, ErrNothing, has)
}

// mostOthers is how many names of other events are listed.
const mostOthers = 5

// others lists the events of other names, the most frequent first.
func (t *Text) others() string {
	names := slices.SortedFunc(maps.Keys(t.parser.Others), func(a, b string) int {
		if n, m := t.parser.Others[a], t.parser.Others[b]; n != m {
			return int(m) - int(n)
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, name := range names[:min(mostOthers, len(names))] {
		parts = append(parts, fmt.Sprintf("%s (%d)", name, t.parser.Others[name]))
	}
	if n := len(names) - mostOthers; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more", n))
	}
	return strings.Join(parts, ", ")
}

// Calls yields the calls as they end, and with Options.Begin also as they begin. It
// stops at the first error. A call and its events are valid only until the next one.
// Calls can be ranged over once. Events that do not fit their plan are skipped: see
// Damage.
func (t *Text) Calls(ctx context.Context) iter.Seq2[*calls.Call, error] {
	return func(yield func(*calls.Call, error) bool) {
		for c, err := range t.Stream.Calls(t.all(), stream.Observer{}) {
			if ctx.Err() != nil || !yield(c, err) {
				return
			}
		}
	}
}

// all yields the events from the first one on.
func (t *Text) all() iter.Seq2[*tracefs.Event, error] {
	return func(yield func(*tracefs.Event, error) bool) {
		e, err, ok := t.first, error(nil), true
		for ; ok; e, err, ok = t.events() {
			if !yield(e, err) {
				return
			}
		}
	}
}

// Damage returns an error about the first event that does not fit its plan, as far as
// the text has been read, or nil. The error names the line.
func (t *Text) Damage() error {
	err := t.parser.Err()
	if n := t.parser.Malformed; n > 1 {
		return fmt.Errorf("%w, and %d more", err, n-1)
	}
	return err
}

// Losses returns what the text says about lost events. It warns of what else is not
// shown.
func (t *Text) Losses() *losses.Losses {
	t.chooser.warnNone()
	if t.parser.NoTime {
		t.Warner.Warnf("%s: the clock does not count nanoseconds: times are shown as if it did", t.name)
	}
	if n := t.parser.Overwritten; n > 0 {
		t.Warner.Warnf("%s: %s overwritten before the text was made, of these names or others", t.name, plural.Were(n, "event"))
	}
	if len(t.parser.Others) > 0 {
		t.Warner.Warnf("%s: events of other names are not shown: %s", t.name, t.others())
	}
	t.Warner.Detailf("%s: lines that belong to no event: %d", t.name, t.parser.Skipped)
	l := losses.Losses{Recorded: true}
	for _, cpu := range slices.Sorted(maps.Keys(t.parser.Lost)) {
		if n := t.parser.Lost[cpu]; n != tracefs.LostUnknown {
			l.CPUs = append(l.CPUs, tracefs.CPUStats{CPU: cpu, Overrun: n})
		}
	}
	return &l
}

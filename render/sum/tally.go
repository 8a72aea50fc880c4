package sum

import (
	"encoding/binary"

	"github.com/tsnoop/tsnoop/fetchargs/measure"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A tally extracts what is summed up from the calls of one source.
type tally struct {
	function *render.Function
	fails    *plan.ReturnErrno
	from     *render.Recording // nil if there is one trace
	opts     *render.Options
	host     string
	keys     []key // what has rows of its own; nil if the source has none of them
	numbers  []measured
	callers  render.AddressCache
	frames   *render.Frames
	process  func(tid int) (pid int, ok bool) // Options.Process
	facts    Facts
}

// A key is one of Options.By.
type key struct {
	by       string
	word     *keyWord // nil if it is a value
	measured          // if it is a value
}

// A measured is a value that is summed up.
type measured struct {
	side    *render.Side
	field   *render.Field // nil if the source does not have it
	elapsed bool          // the value is the duration
}

// newTallies returns a tally for each source. o is used as long as the tallies are.
func newTallies(from []render.Source, so *Options, o *render.Options) []*tally {
	all := make([]*tally, len(from))
	functions := render.NewFunctions(from, o)
	for i := range from {
		f := &functions[i]
		t := &tally{function: f, from: f.From, fails: from[i].ReturnErrno(f.Opts.Order), opts: f.Opts, host: so.Host, process: so.Process}
		if t.from != nil {
			t.host, t.process = t.from.Host, t.from.Process
		}
		var values []measured
		plan := from[i].Plan
		for j := range plan.Measures {
			m := t.measured(plan, &plan.Measures[j])
			if plan.Measures[j].Number {
				t.numbers = append(t.numbers, m)
			} else {
				values = append(values, m)
			}
		}
		t.facts.Numbers = make([]Number, len(t.numbers))
		t.setKeys(so.By, values)
		all[i] = t
	}
	return all
}

// setKeys sets the keys. values are those that are values of a call, in this order.
func (t *tally) setKeys(by []string, values []measured) {
	has := false
	for _, name := range by {
		k := key{by: name, word: keyWordOf(name)}
		switch {
		case k.word != nil:
			k.field, has = plainNumber(name, t.opts), true
			if name == ByStack {
				t.frames = render.NewFrames(t.opts)
			}
		case len(values) > 0:
			k.measured, values = values[0], values[1:]
			has = has || k.field != nil
		}
		t.keys = append(t.keys, k)
	}
	if !has {
		t.keys = nil
	}
}

func (t *tally) measured(plan *plan.Plan, m *measure.Measured) measured {
	if m.Elapsed {
		return measured{elapsed: true}
	}
	probe, index, ok := plan.Measured(m)
	if !ok {
		return measured{}
	}
	side, field := t.function.Hidden(plan.Probes[probe], index, t.opts)
	return measured{side: side, field: field}
}

// of returns what is summed up of a call. It is valid until the next call of of.
func (t *tally) of(c *calls.Call) *Facts {
	f := &t.facts
	f.Errno = 0
	if t.fails != nil {
		if e := c.Event(true, 0); e != nil {
			f.Errno = t.fails.Errno(e.Data)
		}
	}
	for i := range t.numbers {
		f.Numbers[i] = t.numbers[i].number(c)
	}
	if t.keys != nil {
		f.Key = t.appendKeys(f.Key[:0], c)
	}
	return f
}

// number returns the value of a call, if it is known.
func (m *measured) number(c *calls.Call) Number {
	switch {
	case m.elapsed:
		return Number{Value: c.Duration, Known: c.Entry != nil && c.Return != nil}
	case m.field == nil:
		return Number{}
	}
	v := m.field.Value(m.side.Record(c))
	if v.Kind != value.Uint && v.Kind != value.Int {
		return Number{}
	}
	return Number{Value: m.field.Means(v.Uint), Signed: m.field.Signed, Known: true}
}

// appendKeys appends the keys of a call, in the form that keysOf reads: each after its
// length.
func (t *tally) appendKeys(dst []byte, c *calls.Call) []byte {
	for i := range t.keys {
		k, start := &t.keys[i], len(dst)
		dst = append(dst, 0, 0, 0, 0)
		switch {
		case k.word != nil:
			dst = k.word.append(t, dst, c)
		case k.field != nil:
			dst = t.appendValue(dst, k.field, k.field.Value(k.side.Record(c)))
		default:
			dst = append(dst, keyNone)
		}
		binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	}
	return dst
}

// A lossCount counts lost events.
type lossCount struct {
	Lost     uint64
	LostMore bool // and some more that were not counted
}

func (l *lossCount) add(e *tracefs.Event) {
	if e.Lost == tracefs.LostUnknown {
		l.LostMore = true
		return
	}
	l.Lost += e.Lost
}

package render

import (
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// Names for [SummingOptions].By that are not values of a call.
const (
	ByComm   = "comm"
	ByCaller = "caller"
)

// A tally extracts what is summed up from the calls of one source.
type tally struct {
	function *Function
	fails    *fetchargs.Verdict
	by       string
	opts     *Options
	key      *measured // nil if by is not a value
	numbers  []measured
	callers  AddressCache
	facts    calls.Facts
}

// A measured is a value that is summed up.
type measured struct {
	side    *Side
	field   *Field // nil if the source does not have it
	elapsed bool   // the value is the duration
}

// newTallies returns a tally for each source. by says what has rows of its own. o is used
// as long as the tallies are.
func newTallies(from []Source, by string, o *Options) []*tally {
	all := make([]*tally, len(from))
	functions := NewFunctions(from, o)
	for i := range from {
		t := &tally{function: &functions[i], fails: from[i].Verdict(o.Order), by: by, opts: o}
		plan := from[i].Plan
		for j := range plan.Measures {
			m := t.measured(plan, &plan.Measures[j])
			if plan.Measures[j].Number {
				t.numbers = append(t.numbers, m)
			} else {
				t.key = &m
			}
		}
		t.facts.Numbers = make([]calls.Number, len(t.numbers))
		all[i] = t
	}
	return all
}

func (t *tally) measured(plan *fetchargs.Plan, m *fetchargs.Measured) measured {
	if m.Elapsed {
		return measured{elapsed: true}
	}
	probe, index, ok := m.Field(plan)
	if !ok {
		return measured{}
	}
	p, side := plan.Probes[probe], &t.function.Entry
	if p.Side == fetchargs.Return {
		side = &t.function.Return
	}
	if side.parts[p.Part].dec == nil {
		return measured{}
	}
	f := &p.Fields[index]
	field := NewField(f, p.Side == fetchargs.Return && len(f.Guards) == 0 && f.Encoding == value.Integer, t.opts)
	field.from(side, p.Part, index)
	return measured{side: side, field: field}
}

// of returns what is summed up of a call. It is valid until the next call of of.
func (t *tally) of(c *calls.Call) *calls.Facts {
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
	if t.by != "" {
		f.Key = t.appendKey(f.Key[:0], c)
	}
	return f
}

// number returns the value of a call, if it is known.
func (m *measured) number(c *calls.Call) calls.Number {
	switch {
	case m.elapsed:
		return calls.Number{Value: c.Duration, Known: c.Entry != nil && c.Return != nil}
	case m.field == nil:
		return calls.Number{}
	}
	v := m.field.Value(m.side.Record(c))
	if v.Kind != value.Uint && v.Kind != value.Int {
		return calls.Number{}
	}
	return calls.Number{Value: m.field.Means(v.Uint), Signed: m.field.Signed, Known: true}
}

// appendKey appends the key of a call, in the form that keyOf reads.
func (t *tally) appendKey(dst []byte, c *calls.Call) []byte {
	switch {
	case t.key != nil && t.key.field != nil:
		return t.key.field.appendKey(dst, t.key.field.Value(t.key.side.Record(c)))
	case t.key != nil:
		return dst
	case t.by == ByComm:
		return append(append(dst, keyText), t.function.Comm(c)...)
	case t.by == ByCaller:
		dst = append(dst, keyCaller)
		if addr := t.function.ReturnAddress(c); addr != 0 {
			dst = t.callers.Append(dst, addr, t.appendCaller)
		}
	}
	return dst
}

// appendCaller appends the module and the name of a caller, nothing if it is not known.
func (t *tally) appendCaller(dst []byte, addr uint64) []byte {
	by, ok := t.opts.ReturnsTo(addr)
	if !ok {
		return dst
	}
	return append(append(append(dst, by.Module...), 0), by.Name...)
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

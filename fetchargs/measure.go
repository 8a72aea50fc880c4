package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Measure is a value to group calls by or, if Number is set, to make a histogram of. It
// is fetched in addition to the values that the specs show.
type Measure struct {
	Text string
	// Number says that the values are counted as numbers, so that values without a
	// number, and addresses, are refused. The duration is a number.
	Number bool

	item *spec.Item
}

// ParseMeasure parses EXPR [":" FORMAT]. The error, if any, is a [spec.Errors].
func ParseMeasure(text string, number bool) (*Measure, error) {
	item, err := spec.ParseItem(text)
	if err != nil {
		return nil, err
	}
	c := spec.Collector{Text: text}
	switch {
	case item.Cond != nil:
		c.Fail(item.Cond.Where(), "conditions stand in the spec", "this is a condition, not a value")
	case item.Name.Text != "":
		c.Fail(item.Name.Span, "leave it out", "the value needs no name here")
	}
	if len(c.Errs) > 0 {
		return nil, c.Errs
	}
	return &Measure{Text: text, Number: number, item: item}, nil
}

// A Measured locates the value of a [Measure] in the records of a plan.
type Measured struct {
	*Measure
	Elapsed bool // the value is the duration of the call

	of    operand
	known bool
}

// Field returns where the value is: an index into p.Probes and an index into the
// Fields of that probe. ok is false if the plan does not have the value, or if it
// is the duration.
func (m *Measured) Field(p *Plan) (probe, field int, ok bool) {
	if !m.known || m.Elapsed {
		return 0, 0, false
	}
	return p.probe(m.of), m.of.index, true
}

// measureAll fetches the values of the measures. Errors point into the text of the measure.
func measureAll(c *spec.Collector, measures []*Measure, f measurer) (all []Measured) {
	text := c.Text
	defer func() { c.Text = text }()
	for _, m := range measures {
		c.Text = m.Text
		x, done := m.item.Expr, Measured{Measure: m}
		if is, ok := f.elapsed(x); is {
			done.Elapsed, done.known = true, ok && m.isNumber(c)
		} else if at, ok := f.fetch(f.decoded(want{x: x, format: m.item.Format, hidden: true})); ok {
			done.of, done.known = at.operand(), m.fits(c, at.field(), at.side.at)
		}
		all = append(all, done)
	}
	return all
}

// A measurer finds the values to measure, among those that probes can fetch or
// among those that were recorded.
type measurer interface {
	elapsed(x spec.Expr) (is, ok bool)
	fetch(w want) (ref, bool)
	decoded(w want) want
}

func (m *Measure) isNumber(c *spec.Collector) bool {
	if !m.Number {
		c.Fail(m.item.Span, "--hist duration counts them by powers of two", "calls have a duration each: there are too many to have a row each")
	}
	return m.Number
}

// fits reports whether the value can be counted as the measure asks. If not, it
// adds an error.
func (m *Measure) fits(c *spec.Collector, f *value.Field, at dynevent.Side) bool {
	x := m.item.Expr
	switch {
	case f.Encoding == value.Dumped:
		c.Fail(x.Where(), "name a member", "%s is an object, not one value", x)
		return false
	case !m.Number:
		return true
	case f.Encoding == value.Age:
		return true
	case f.Encoding != value.Integer && f.Encoding != value.BitField:
		c.Fail(m.item.Span, "", "%s is not a number", spec.Formatted(x, m.item.Format))
		return false
	}
	switch form := value.NewType(f, at == dynevent.Return && len(f.Guards) == 0, nil).Form; form {
	case value.Address, value.Symbol, value.Pointer:
		hint := "name a member of what it points to"
		if btf.Pointee(f.Type) == nil || !btf.IsStruct(btf.Pointee(f.Type)) {
			hint = ""
		}
		c.Fail(m.item.Span, hint, "%s is an address, not a number", spec.Formatted(x, m.item.Format))
		return false
	case value.IP4, value.IP6, value.MAC, value.LongMAC, value.SockAddr, value.Device:
		c.Fail(m.item.Span, "", "%s is not a number", spec.Formatted(x, m.item.Format))
		return false
	}
	return true
}

// measure fetches the values of the target's Measures.
func (r *resolver) measure() {
	r.out.Measures = measureAll(&r.Collector, r.target.Measures, r)
}

// decoded returns w unchanged: a recording cannot be extended.
func (s *selection) decoded(w want) want { return w }

// WithMeasures returns plans of a recording with the measures added. A single plan
// may lack the value of a measure. If all of them lack it, the error, a
// [spec.Errors], says so.
func WithMeasures(plans []*Plan, measures []*Measure) ([]*Plan, error) {
	if len(measures) == 0 {
		return plans, nil
	}
	found := make([]bool, len(measures))
	var all []*Plan
	var errs spec.Errors
	var names []string
	for _, p := range plans {
		if p.Renames != "" {
			all = append(all, p)
			continue
		}
		s := newSelection(p.Spec, p)
		out, wrong := s.measured(measures)
		for i := range measures {
			found[i] = found[i] || out.Measures[i].known
		}
		all, errs, names = append(all, out), append(errs, wrong...), append(names, s.values()...)
	}
	for i, ok := range found {
		m := measures[i]
		is := func(e *spec.Error) bool { return e.Text == m.Text }
		if ok {
			errs = slices.DeleteFunc(errs, is)
		} else if !slices.ContainsFunc(errs, is) {
			near := btf.Near(spec.CalledName(m.item.Expr), slices.Values(names))
			errs = append(errs, &spec.Error{Text: m.Text, Span: m.item.Expr.Where(), Msg: "this was not recorded of any function", Hint: spec.DidYouMean(near, "")})
		}
	}
	if len(errs) > 0 {
		return nil, errs.Unique()
	}
	return all, nil
}

// measured returns the recorded plan with the measures. wrong has only errors about
// values that were recorded.
func (s *selection) measured(measures []*Measure) (_ *Plan, wrong spec.Errors) {
	recorded := s.values()
	out := *s.plan
	out.Probes = nil
	for i, probe := range s.plan.Probes {
		s.sides[i].all(probe)
	}
	out.Measures = measureAll(&s.Collector, measures, s)
	for i, probe := range s.plan.Probes {
		out.Probes = append(out.Probes, s.sides[i].of(probe, &out))
	}
	return &out, slices.DeleteFunc(s.Errs, func(e *spec.Error) bool {
		return !slices.ContainsFunc(measures, func(m *Measure) bool {
			return m.Text == e.Text && slices.Contains(recorded, spec.CalledName(m.item.Expr))
		})
	})
}

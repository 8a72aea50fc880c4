package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Measure is a value that calls are added up by, beside those that their specs show.
type Measure struct {
	Text string
	// Number says that the values are counted as numbers: none that has none of
	// these, and no address, will do. The duration is a number.
	Number bool

	item *spec.Item
}

// ParseMeasure reads EXPR [":" FORMAT]. The error, if any, is a spec.Errors.
func ParseMeasure(text string, number bool) (*Measure, error) {
	item, err := spec.ParseItem(text)
	if err != nil {
		return nil, err
	}
	c := complaints{text: text}
	switch {
	case item.Cond != nil:
		c.fail(item.Cond.Where(), "conditions stand in the spec", "this is a condition, not a value")
	case item.Name.Text != "":
		c.fail(item.Name.Span, "leave it out", "the value needs no name here")
	}
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	return &Measure{Text: text, Number: number, item: item}, nil
}

// Measured is what a plan has of a [Measure].
type Measured struct {
	*Measure
	Elapsed bool // it is the duration

	of    operand
	known bool
}

// Field is where the value is: an index of p.Probes, and of the Fields of that. ok is
// false if p has none.
func (m *Measured) Field(p *Plan) (probe, field int, ok bool) {
	if !m.known || m.Elapsed {
		return 0, 0, false
	}
	return p.probe(m.of), m.of.index, true
}

// measure has the values of measures fetched, with the place of what is wrong in their
// own text.
func (c *complaints) measure(measures []*Measure, f measurer) (all []Measured) {
	text := c.text
	defer func() { c.text = text }()
	for _, m := range measures {
		c.text = m.Text
		x, done := m.item.Expr, Measured{Measure: m}
		if is, ok := f.elapsed(x); is {
			done.Elapsed, done.known = true, ok && c.isNumber(m)
		} else if at, ok := f.fetch(f.decoded(want{x: x, format: m.item.Format, hidden: true})); ok {
			done.of, done.known = at.operand(), c.fits(m, at.field(), at.side.at)
		}
		all = append(all, done)
	}
	return all
}

// A measurer finds what is measured: among all that probes can fetch, or in what was
// recorded.
type measurer interface {
	elapsed(x spec.Expr) (is, ok bool)
	fetch(w want) (ref, bool)
	decoded(w want) want
}

func (c *complaints) isNumber(m *Measure) bool {
	if !m.Number {
		c.fail(m.item.Span, "--hist duration counts them by powers of two", "calls have a duration each: there are too many to have a row each")
	}
	return m.Number
}

// fits refuses what cannot be counted so.
func (c *complaints) fits(m *Measure, f *value.Field, at Side) bool {
	x := m.item.Expr
	switch {
	case f.Encoding == value.Dumped:
		c.fail(x.Where(), "name a member", "%s is an object, not one value", x)
		return false
	case !m.Number:
		return true
	case f.Encoding == value.Age:
		return true
	case f.Encoding != value.Integer && f.Encoding != value.BitField:
		c.fail(m.item.Span, "", "%s is not a number", spec.Formatted(x, m.item.Format))
		return false
	}
	switch form := value.NewType(f, at == Return && len(f.Guards) == 0, nil).Form; form {
	case value.Address, value.Symbol, value.Pointer:
		hint := "name a member of what it points to"
		if pointee(f.Type) == nil || !isStruct(pointee(f.Type)) {
			hint = ""
		}
		c.fail(m.item.Span, hint, "%s is an address, not a number", spec.Formatted(x, m.item.Format))
		return false
	case value.IP4, value.IP6, value.MAC, value.LongMAC, value.SockAddr, value.Device:
		c.fail(m.item.Span, "", "%s is not a number", spec.Formatted(x, m.item.Format))
		return false
	}
	return true
}

// measure is for what the target says that calls are added up by.
func (r *resolver) measure() {
	r.out.Measures = r.complaints.measure(r.target.Measures, r)
}

// decoded leaves w as it is: a recording has what it has.
func (s *selection) decoded(w want) want { return w }

// WithMeasures are plans of a recording with the measures, all else as it is. A plan
// may lack a value, but not all of them: that is in the error, a spec.Errors.
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
			near := btf.Near(calledName(m.item.Expr), slices.Values(names))
			errs = append(errs, &spec.Error{Text: m.Text, Span: m.item.Expr.Where(), Msg: "this was not recorded of any function", Hint: didYouMean(near, "")})
		}
	}
	if len(errs) > 0 {
		return nil, errs.Unique()
	}
	return all, nil
}

// measured is the plan as it was recorded with the measures. wrong is only of those
// whose values were recorded.
func (s *selection) measured(measures []*Measure) (_ *Plan, wrong spec.Errors) {
	recorded := s.values()
	out := *s.plan
	out.Probes = nil
	for i, probe := range s.plan.Probes {
		s.sides[i].all(probe)
	}
	out.Measures = s.complaints.measure(measures, s)
	for i, probe := range s.plan.Probes {
		out.Probes = append(out.Probes, s.sides[i].of(probe, &out))
	}
	return &out, slices.DeleteFunc(s.errs, func(e *spec.Error) bool {
		return !slices.ContainsFunc(measures, func(m *Measure) bool {
			return m.Text == e.Text && slices.Contains(recorded, calledName(m.item.Expr))
		})
	})
}

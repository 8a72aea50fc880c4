// Package measure finds values to sum calls up by, besides those that a spec shows.
package measure

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
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

	Item *spec.Item
}

// Parse parses EXPR [":" FORMAT]. The error, if any, is a [spec.Errors].
func Parse(text string, number bool) (*Measure, error) {
	item, err := spec.ParseItem(text)
	if err != nil {
		return nil, err
	}
	c := spec.Collector{Text: text}
	switch {
	case item.Cond != nil:
		c.Fail(item.Cond.Where(), "put conditions in the spec", "this is a condition, not a value")
	case item.Name.Text != "":
		c.Fail(item.Name.Span, "leave it out", "the value needs no name here")
	}
	if len(c.Errs) > 0 {
		return nil, c.Errs
	}
	return &Measure{Text: text, Number: number, Item: item}, nil
}

// A Measured locates the value of a [Measure] in the records of a plan.
type Measured struct {
	*Measure
	Elapsed bool // the value is the duration of the call

	Of    cond.Operand
	Known bool
}

// All fetches the values of the measures. Errors point into the text of the measure.
func All(c *spec.Collector, measures []*Measure, f Finder) (all []Measured) {
	text := c.Text
	defer func() { c.Text = text }()
	for _, m := range measures {
		c.Text = m.Text
		x, done := m.Item.Expr, Measured{Measure: m}
		if is, ok := f.Elapsed(x); is {
			done.Elapsed, done.Known = true, ok && m.isNumber(c)
		} else if at, ok := f.Fetch(f.Decoded(cond.Want{X: x, Format: m.Item.Format, Hidden: true})); ok {
			done.Of, done.Known = at.Operand(), m.fits(c, at.Field(), at.Values.At)
		}
		all = append(all, done)
	}
	return all
}

// A Finder finds the values to measure, among those that probes can fetch or
// among those that were recorded.
type Finder interface {
	Elapsed(x spec.Expr) (is, ok bool)
	Fetch(w cond.Want) (cond.Ref, bool)
	Decoded(w cond.Want) cond.Want
}

func (m *Measure) isNumber(c *spec.Collector) bool {
	if !m.Number {
		c.Fail(m.Item.Span, "use --hist duration, which counts them by powers of two", "calls have a duration each: there are too many to have a row each")
	}
	return m.Number
}

// fits reports whether the value can be counted as the measure asks. If not, it
// adds an error.
func (m *Measure) fits(c *spec.Collector, f *value.Field, at dynevent.Side) bool {
	x := m.Item.Expr
	switch {
	case f.Encoding == value.Dumped:
		c.Fail(x.Where(), "name a member", "%s is an object, not one value", x)
		return false
	case !m.Number:
		return true
	case f.Encoding == value.Age:
		return true
	case f.Encoding != value.Integer && f.Encoding != value.BitField:
		c.Fail(m.Item.Span, "", "%s is not a number", spec.Formatted(x, m.Item.Format))
		return false
	}
	switch form := value.NewType(f, at == dynevent.Return && len(f.PointerChecks) == 0, nil).Form; form {
	case value.Address, value.Symbol, value.Pointer:
		hint := "name a member of what it points to"
		if btf.Pointee(f.Type) == nil || !btf.IsStruct(btf.Pointee(f.Type)) {
			hint = ""
		}
		c.Fail(m.Item.Span, hint, "%s is an address, not a number", spec.Formatted(x, m.Item.Format))
		return false
	case value.IP4, value.IP6, value.MAC, value.LongMAC, value.SockAddr, value.Device:
		c.Fail(m.Item.Span, "", "%s is not a number", spec.Formatted(x, m.Item.Format))
		return false
	}
	return true
}

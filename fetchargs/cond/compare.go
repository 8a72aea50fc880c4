package cond

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/filter"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Finder finds the values that a condition compares, among those that probes can
// fetch or among those that were recorded.
type Finder interface {
	// Fetch finds the field of a value.
	Fetch(w Want) (Ref, bool)
	// Values returns the words that stand for values.
	Values() []string
	// Enumerator returns the value of an enum constant that is compared with a
	// value of type t.
	Enumerator(t btf.Type, name string) (int64, error)
	// SimilarConstants returns constants of the machine's enums that may be meant by name.
	SimilarConstants(name string) []string
	// Macros returns the macros of the machine.
	Macros() *constants.Table
	// Elapsed reports whether x is the duration of the call, and whether it can be known.
	Elapsed(x spec.Expr) (is, ok bool)
	// Address reports whether x is an address of the kernel, and returns it.
	Address(x spec.Expr) (addr uint64, is, ok bool)
}

// A comparer turns conditions into tests.
type comparer struct {
	*spec.Collector
	Finder
}

// Tests returns the tests that must all hold for s. It adds to errs what is wrong.
func Tests(errs *spec.Collector, f Finder, s *spec.Spec) (all []*Test) {
	c := &comparer{errs, f}
	for _, item := range s.Items {
		if item.Cond != nil {
			all = append(all, c.test(item.Cond, false, item))
		}
	}
	if s.If != nil {
		all = append(all, c.test(s.If, false, nil))
	}
	return all
}

// Of returns the test of a condition. It adds to errs what is wrong.
func Of(errs *spec.Collector, f Finder, x spec.Cond) *Test {
	return (&comparer{errs, f}).test(x, false, nil)
}

// test turns x into a test, or into its opposite if not is set. If x is an item,
// the item may have named and formatted the values.
func (c *comparer) test(x spec.Cond, not bool, item *spec.Item) *Test {
	switch x := x.(type) {
	case *spec.Not:
		return c.test(x.X, !not, item)
	case *spec.And:
		return Join(!not, c.test(x.X, not, item), c.test(x.Y, not, item))
	case *spec.Or:
		return Join(not, c.test(x.X, not, item), c.test(x.Y, not, item))
	case *spec.Compare:
		return c.compare(x, not, item)
	}
	panic(fmt.Sprintf("fetchargs: unknown condition %T", x))
}

func (c *comparer) compare(x *spec.Compare, not bool, item *spec.Item) *Test {
	t := &Test{Op: x.Op}
	if not {
		if op, ok := Opposite(x.Op); ok {
			t.Op = op
		} else {
			t.Negated = true
		}
	}
	if is, ok := c.Elapsed(x.X); is {
		t.Elapsed = true
		if ok {
			c.compareTime(t, x, value.Uint, "a duration", "durations")
		}
		return t
	}
	w := left(x)
	if item != nil && item.Format.Text != "" {
		w.Format = item.Format
	}
	left, ok := c.Fetch(w)
	if !ok {
		return t
	}
	if _, count := spec.SplitFormat(w.Format.Text); count > 0 && left.Field().Encoding == value.Array {
		c.Fail(w.Format.Span, "leave out the comparison to show it", "%s are %d elements, which cannot be compared", spec.Formatted(x.X, w.Format), count)
		return t
	}
	t.Left = left.Operand()
	switch x, other, ok := c.other(x); {
	case !ok:
	case other != nil:
		c.compareValue(t, x, left.Field(), other)
	case left.Field().Encoding == value.Age:
		c.compareTime(t, x, value.Int, "an age", "ages")
	default:
		t.Value, _ = c.constant(x, left.Field())
		t.Value.Shown = x.Value.String()
	}
	return t
}

// other returns the expression that x compares with; nil if that is a constant, with which
// the comparison is returned. It reports false if there is neither.
func (c *comparer) other(x *spec.Compare) (*spec.Compare, spec.Expr, bool) {
	other := x.Other
	if other == nil && x.Value.Kind == spec.Word && c.isValue(x.Value.Text) {
		other = &spec.Ident{Name: spec.Name{Text: x.Value.Text, Span: x.Value.Span}}
	}
	if other == nil {
		return x, nil, true
	}
	addr, is, ok := c.Address(other)
	switch {
	case is && !ok:
		return x, nil, false
	case is:
		return withNumber(x, other, addr), nil, true
	}
	return x, other, true
}

// compareValue completes t with the value of other, which left is compared with.
func (c *comparer) compareValue(t *Test, x *spec.Compare, left *value.Field, other spec.Expr) {
	if x.Mask != nil {
		c.Fail(other.Where(), "", "a masked value can be compared only with numbers")
		return
	}
	right, ok := c.Fetch(Want{X: other, Format: x.OtherFormat, Hidden: true})
	if !ok {
		return
	}
	if !comparable(left, right.Field(), x.Op) {
		c.Fail(x.Where(), "", "%s and %s cannot be compared with %s", x.X, other, x.Op)
	}
	t.Right, t.Against = right.Operand(), true
}

// withNumber returns x with a number in place of the expression other.
func withNumber(x *spec.Compare, other spec.Expr, n uint64) *spec.Compare {
	number := *x
	number.Other = nil
	number.Value = &spec.Literal{Kind: spec.Number, Text: other.String(), Int: new(big.Int).SetUint64(n), Span: other.Where()}
	return &number
}

func (c *comparer) isValue(word string) bool { return slices.Contains(c.Values(), word) }

// comparedAsText reports whether f is compared with text. A task is compared by its name.
func comparedAsText(f *value.Field) bool {
	return f.Encoding == value.String || f.Encoding == value.Who
}

func comparable(a, b *value.Field, op spec.Op) bool {
	if comparedAsText(a) || comparedAsText(b) {
		return comparedAsText(a) && comparedAsText(b) && (op == "==" || op == "!=")
	}
	return a.Encoding != value.Array && b.Encoding != value.Array && op != "~"
}

// compareTime makes t compare a duration, or an age, with a time. one and all name it.
func (c *comparer) compareTime(t *Test, x *spec.Compare, kind value.Kind, one, all string) {
	l := x.Value
	switch _, ordered := Opposite(x.Op); {
	case !ordered || x.Mask != nil:
		c.Fail(x.Where(), "compare "+all+" with <, <=, > or >=", "%s has neither bits nor text", one)
	case x.Other != nil:
		c.Fail(x.Other.Where(), "write a time, with the unit ns, us, ms or s: 5ms", "%s is compared with a time", one)
	case l.Kind == spec.Time || l.IsNull():
		t.Value = Constant{Kind: kind, Shown: l.String()}
		if l.Int != nil {
			t.Value.Num = l.Int.Uint64()
		}
	case l.Kind == spec.Number:
		c.FailFix(l.Span, spec.Fix{Span: l.Span, Text: l.Text + "ns"}, "add a unit, ns, us, ms or s: ", "%s is compared with a time", one)
	default:
		c.Fail(l.Span, "write a time, with the unit ns, us, ms or s: 5ms", "%s is compared with a time", one)
	}
}

// checkGlob refuses a glob that means different things to different kernels.
func (m *comparer) checkGlob(l *spec.Literal) bool {
	turned := filter.TurnedRange(l.Text)
	if turned == "" {
		return true
	}
	right := strings.ReplaceAll(l.Text, turned, turned[2:]+"-"+turned[:1])
	fixed := spec.Literal{Kind: spec.Quoted, Text: right}
	m.FailFix(l.Span, spec.Fix{Span: l.Span, Text: fixed.String()}, "write ", "the range %s is empty", turned)
	return false
}

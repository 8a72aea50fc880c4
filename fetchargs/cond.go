package fetchargs

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A test is a condition in normal form: negations are pushed down to the comparisons,
// because a value that could not be read satisfies neither a comparison nor its opposite.
type test struct {
	and, or []*test // at most one of these three is set; otherwise this is a comparison
	unless  *test   // must not hold. Unlike an opposite this includes values that could not be read

	op      spec.Op
	negated bool // "&" and "~" have no opposite
	left    operand
	right   operand  // an expression, or
	value   constant // a constant
	against bool     // right is set, not value
	elapsed bool     // compares the duration with value; left is not set
}

// An operand refers to a field of one of the plan's probes.
type operand struct {
	side  dynevent.Side
	part  int
	index int
}

// maxFilter leaves room in a filter for what --comm adds.
const maxFilter = dynevent.MaxFilter - 94

var opposite = map[spec.Op]spec.Op{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// A finder finds the values that a condition compares, among those that probes can
// fetch or among those that were recorded.
type finder interface {
	// fetch finds the field of a value.
	fetch(w want) (ref, bool)
	// values returns the words that stand for values.
	values() []string
	// enumerator returns the value of an enum constant that is compared with a
	// value of type t.
	enumerator(t btf.Type, name string) (int64, error)
	// macros returns the macros of the machine.
	macros() *constants.Table
	// elapsed reports whether x is the duration of the call, and whether it can be known.
	elapsed(x spec.Expr) (is, ok bool)
	// address reports whether x is an address of the kernel, and returns it.
	address(x spec.Expr) (addr uint64, is, ok bool)
}

// A comparer turns conditions into tests.
type comparer struct {
	*spec.Collector
	finder
}

// conditions resolves all conditions of the spec. The kernel's filters get what
// they can decide; the rest is left to user space.
func (r *resolver) conditions() {
	all := (&comparer{&r.Collector, r}).tests(r.spec)
	r.measure()
	switch {
	case len(r.Errs) > 0:
		return
	case len(r.out.clocks) > 0:
		r.passing(all)
		return
	case len(all) == 0:
		return
	}
	whole := join(true, all...)
	if all = whole.and; all == nil {
		all = []*test{whole}
	}
	r.out.asked = whole
	exact := true
	for _, t := range all {
		exact = r.push(t) && exact
	}
	if !exact {
		r.out.check = whole
	}
}

// tests returns the tests that must all hold for s.
func (c *comparer) tests(s *spec.Spec) (all []*test) {
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

// test turns x into a test, or into its opposite if not is set. If x is an item,
// the item may have named and formatted the values.
func (c *comparer) test(x spec.Cond, not bool, item *spec.Item) *test {
	switch x := x.(type) {
	case *spec.Not:
		return c.test(x.X, !not, item)
	case *spec.And:
		return join(!not, c.test(x.X, not, item), c.test(x.Y, not, item))
	case *spec.Or:
		return join(not, c.test(x.X, not, item), c.test(x.Y, not, item))
	case *spec.Compare:
		return c.compare(x, not, item)
	}
	panic(fmt.Sprintf("fetchargs: unknown condition %T", x))
}

// join combines tests with && if and is set, else with ||. Tests that are combined
// in the same way are merged.
func join(and bool, tests ...*test) *test {
	if len(tests) == 1 {
		return tests[0]
	}
	whole := &test{}
	for _, t := range tests {
		switch {
		case and && t.and != nil:
			whole.and = append(whole.and, t.and...)
		case and:
			whole.and = append(whole.and, t)
		case t.or != nil:
			whole.or = append(whole.or, t.or...)
		default:
			whole.or = append(whole.or, t)
		}
	}
	return whole
}

func (c *comparer) compare(x *spec.Compare, not bool, item *spec.Item) *test {
	t := &test{op: x.Op}
	if not {
		if op, ok := opposite[x.Op]; ok {
			t.op = op
		} else {
			t.negated = true
		}
	}
	if is, ok := c.elapsed(x.X); is {
		if ok {
			c.compareDuration(t, x)
		}
		return t
	}
	w := left(x)
	if item != nil && item.Format.Text != "" {
		w.format = item.Format
	}
	left, ok := c.fetch(w)
	if !ok {
		return t
	}
	if _, count := spec.SplitFormat(w.format.Text); count > 0 && left.field().Encoding == value.Array {
		c.Fail(w.format.Span, "leave out the condition to show it", "%s are %d elements, which cannot be compared", spec.Formatted(x.X, w.format), count)
		return t
	}
	t.left = left.operand()
	other := x.Other
	if other == nil && x.Value.Kind == spec.Word && c.isValue(x.Value.Text) {
		other = &spec.Ident{Name: spec.Name{Text: x.Value.Text, Span: x.Value.Span}}
	}
	if other != nil {
		addr, is, ok := c.address(other)
		if is && !ok {
			return t
		} else if is {
			x, other = withNumber(x, other, addr), nil
		}
	}
	if other == nil {
		if left.field().Encoding == value.Age {
			c.compareAge(t, x)
		} else {
			t.value, _ = c.constant(x, left.field())
		}
		t.value.shown = x.Value.String()
		return t
	}
	if x.Mask != nil {
		c.Fail(other.Where(), "", "what is masked is compared with numbers only")
		return t
	}
	right, ok := c.fetch(want{x: other, format: x.OtherFormat, hidden: true})
	if !ok {
		return t
	}
	if !comparable(left.field(), right.field(), x.Op) {
		c.Fail(x.Where(), "", "%s and %s cannot be compared with %s", x.X, other, x.Op)
	}
	t.right, t.against = right.operand(), true
	return t
}

// withNumber returns x with a number in place of the expression other.
func withNumber(x *spec.Compare, other spec.Expr, n uint64) *spec.Compare {
	number := *x
	number.Other = nil
	number.Value = &spec.Literal{Kind: spec.Number, Text: other.String(), Int: new(big.Int).SetUint64(n), Span: other.Where()}
	return &number
}

func (c *comparer) isValue(word string) bool { return slices.Contains(c.values(), word) }

func (r *resolver) values() []string {
	words := []string{"return"}
	for _, p := range r.fn.Params {
		words = append(words, p.Name)
	}
	for _, item := range r.spec.Items {
		if item.Expr != nil && item.Name.Text != "" {
			words = append(words, item.Name.Text)
		}
	}
	return words
}

func (r *resolver) enumerator(t btf.Type, name string) (int64, error) {
	return r.target.Kernel.Enumerator(t, name)
}

func (f ref) operand() operand { return operand{f.side.at, f.side.part, f.index} }

// comparedAsText reports whether f is compared with text. Of a task this is the name.
func comparedAsText(f *value.Field) bool {
	return f.Encoding == value.String || f.Encoding == value.Who
}

func comparable(a, b *value.Field, op spec.Op) bool {
	if comparedAsText(a) || comparedAsText(b) {
		return comparedAsText(a) && comparedAsText(b) && (op == "==" || op == "!=")
	}
	return a.Encoding != value.Array && b.Encoding != value.Array && op != "~"
}

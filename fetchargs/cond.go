package fetchargs

import (
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A test is a condition made ready: negations are pushed down to the single
// comparisons, for a value that could not be read satisfies neither a
// comparison nor its opposite.
type test struct {
	and, or []*test // at most one of these is set; otherwise this is a comparison

	op      spec.Op
	negated bool // for "&" and "~", which have no opposite
	left    operand
	right   operand  // an expression, or
	value   constant // a constant
	against bool     // right is set, not value
}

// An operand is a field: of the return probe, or of the entry probe.
type operand struct {
	ret   bool
	index int
}

// maxFilter is less than the page that one write to a filter may have.
const maxFilter = 4000

var opposite = map[spec.Op]spec.Op{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// conditions resolves all conditions of the spec, gives the kernel's filters
// what they can decide, and leaves the rest to user space.
func (r *resolver) conditions() {
	all := &test{}
	for _, item := range r.spec.Items {
		if item.Cond != nil {
			all.and = append(all.and, r.test(item.Cond, false, item))
		}
	}
	if r.spec.If != nil {
		all.and = append(all.and, r.test(r.spec.If, false, nil))
	}
	if len(r.errs) > 0 || len(all.and) == 0 {
		return
	}
	all = flatten(all)
	exact := true
	for _, t := range conjuncts(all) {
		exact = r.push(t) && exact
	}
	if !exact {
		r.out.check = all
	}
}

// conjuncts are the tests that must all hold.
func conjuncts(t *test) []*test {
	if t.and != nil {
		return t.and
	}
	return []*test{t}
}

// test makes c ready; not says that it is to be false. item, if c is one,
// may have named and formatted the values.
func (r *resolver) test(c spec.Cond, not bool, item *spec.Item) *test {
	switch c := c.(type) {
	case *spec.Not:
		return r.test(c.X, !not, item)
	case *spec.And:
		return r.join(c.X, c.Y, not, !not, item)
	case *spec.Or:
		return r.join(c.X, c.Y, not, not, item)
	case *spec.Compare:
		return r.compare(c, not, item)
	}
	panic(fmt.Sprintf("fetchargs: unknown condition %T", c))
}

func (r *resolver) join(x, y spec.Cond, not, and bool, item *spec.Item) *test {
	kids := []*test{r.test(x, not, item), r.test(y, not, item)}
	if and {
		return &test{and: kids}
	}
	return &test{or: kids}
}

// flatten merges nested && and nested ||.
func flatten(t *test) *test {
	if t.and == nil && t.or == nil {
		return t
	}
	var kids []*test
	for _, kid := range append(t.and, t.or...) {
		kid = flatten(kid)
		switch {
		case t.and != nil && kid.and != nil:
			kids = append(kids, kid.and...)
		case t.or != nil && kid.or != nil:
			kids = append(kids, kid.or...)
		default:
			kids = append(kids, kid)
		}
	}
	if len(kids) == 1 {
		return kids[0]
	}
	if t.and != nil {
		return &test{and: kids}
	}
	return &test{or: kids}
}

func (r *resolver) compare(c *spec.Compare, not bool, item *spec.Item) *test {
	t := &test{op: c.Op}
	if not {
		if op, ok := opposite[c.Op]; ok {
			t.op = op
		} else {
			t.negated = true
		}
	}
	w := left(c)
	if item != nil && item.Format.Text != "" {
		w.format = item.Format
	}
	left, ok := r.operand(w)
	if !ok {
		return t
	}
	t.left = left.operand()
	other := c.Other
	if other == nil && c.Value.Kind == spec.Word && r.isValue(c.Value.Text) {
		other = &spec.Ident{Name: spec.Name{Text: c.Value.Text, Span: c.Value.Span}}
	}
	if other == nil {
		t.value, _ = r.constant(c, left.field())
		return t
	}
	if c, is := r.addressConstant(c, other, left.field()); is {
		t.value = c
		return t
	}
	if c.Mask != nil {
		r.fail(other.Where(), "", "what is masked is compared with numbers only")
		return t
	}
	right, ok := r.operand(want{x: other, format: c.OtherFormat})
	if !ok {
		return t
	}
	if !comparable(left.field(), right.field(), c.Op) {
		r.fail(c.Where(), "", "%s and %s cannot be compared with %s", c.X, other, c.Op)
	}
	t.right, t.against = right.operand(), true
	return t
}

func (r *resolver) isValue(word string) bool {
	if r.recorded {
		return slices.Contains(r.entry.exprs, word) || slices.Contains(r.exit.exprs, word)
	}
	if word == "return" {
		return true
	}
	for _, p := range r.fn.Params {
		if p.Name == word {
			return true
		}
	}
	return false
}

func (f ref) operand() operand { return operand{f.side.probe.Return, f.index} }

func comparable(a, b *value.Field, op spec.Op) bool {
	if a.Encoding == value.String || b.Encoding == value.String {
		return a.Encoding == b.Encoding && (op == "==" || op == "!=")
	}
	return a.Encoding != value.Array && b.Encoding != value.Array && op != "~"
}

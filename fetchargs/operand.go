package fetchargs

import (
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A want is a value to fetch, and what it is compared with: that may tell what
// it is where its type does not.
type want struct {
	x       spec.Expr
	format  spec.Name     // empty if not given
	with    *spec.Literal // nil if it is compared with nothing, or with an expression
	pointer bool          // of text the address is wanted
}

// operands are the values that a condition compares, in their order.
func operands(c spec.Cond) []want {
	switch c := c.(type) {
	case *spec.Compare:
		left := want{x: c.X, format: c.Format, with: c.Value}
		if c.Other != nil {
			return []want{left, {x: c.Other, format: c.OtherFormat}}
		}
		return []want{left}
	case *spec.Not:
		return operands(c.X)
	case *spec.And:
		return append(operands(c.X), operands(c.Y)...)
	case *spec.Or:
		return append(operands(c.X), operands(c.Y)...)
	}
	return nil
}

// left is what a condition needs of its left side. A pointer to text is asked
// for its address if that is compared with NULL.
func left(c *spec.Compare) want {
	w := want{x: c.X, format: c.Format, with: c.Value}
	w.pointer = c.Mask == nil && (c.Op == "==" || c.Op == "!=") && c.Value.IsNull()
	return w
}

// formatOf is the format of that name, nil if there is none.
func (r *resolver) formatOf(name spec.Name) (*value.Format, bool) {
	if name.Text == "" {
		return nil, true
	}
	f := value.FormatNamed(name.Text)
	if f == nil {
		near := btf.Near(name.Text, slices.Values(value.FormatNames()))
		r.fail(name.Span, didYouMean(near, "formats: "+strings.Join(value.FormatNames(), " ")), "unknown format %q", name.Text)
	}
	return f, f != nil
}

// fetch says how to fetch what is wanted, and from which side.
func (r *resolver) fetch(w want) (encoded, *builder, bool) {
	f, ok := r.formatOf(w.format)
	if !ok {
		return encoded{}, nil, false
	}
	p, ok := r.walk(w.x)
	if !ok {
		return encoded{}, nil, false
	}
	if f == nil {
		f = r.impliedFormat(p.typ, w.with)
	}
	e, ok := r.encode(p, w, f)
	if !ok {
		return encoded{}, nil, false
	}
	if f != nil {
		e.field.Format = f.Name
	}
	e.field.BigEndian = f != nil && f.Big || f == nil && isBigEndian(e.route.typ)
	if p.ret {
		return e, r.exit, true
	}
	return e, r.entry, true
}

// impliedFormat is what a value is that is compared with an address: IPv6 or MAC
// if its bytes may be that.
func (r *resolver) impliedFormat(t btf.Type, l *spec.Literal) *value.Format {
	if t == nil || l == nil || l.Kind != spec.Address {
		return nil
	}
	n := len(l.Bytes)
	implied := map[int]*value.Format{6: value.FormatNamed("mac"), 16: value.FormatNamed("ip6")}[n]
	target := r.pointee(t)
	if target == nil {
		target = t
	} else if isByte(target) {
		return implied
	}
	size, _ := btf.Size(target)
	array, isArray := arrayOf(target)
	switch {
	case isArray && n == 6 && size > n && isByte(array.Type): // the rest is for longer addresses
		return implied
	case isArray && target != t && size == n, isStruct(target) && size == n:
		return implied
	}
	return nil
}

// holdsText tells whether what is compared with l is text because l is: bytes,
// or a pointer to them.
func holdsText(t btf.Type, l *spec.Literal) bool {
	if t == nil || l == nil || l.Kind != spec.Quoted && l.Kind != spec.CharLit {
		return false
	}
	elem := pointee(t)
	if array, ok := arrayOf(t); ok {
		elem = array.Type
	}
	if elem == nil {
		return false
	}
	i, ok := btf.Strip(elem).(*btf.Int)
	return ok && i.Size == 1 && i.Encoding != btf.Bool
}

// add fetches what is wanted as one more field, with the name that item, if any,
// gives it.
func (r *resolver) add(item *spec.Item, w want, hidden bool) (ref, bool) {
	e, side, ok := r.fetch(w)
	if !ok {
		return ref{}, false
	}
	if item != nil && item.Name.Text != "" {
		e.field.Label = item.Name.Text
	}
	e.field.Hidden = hidden
	side.used = true
	return side.add(e, w.x)
}

// operand finds the field of a value that a condition needs. One that is
// fetched already serves, if it is fetched so.
func (r *resolver) operand(w want) (ref, bool) {
	e, side, ok := r.fetch(w)
	if !ok {
		return ref{}, false
	}
	label := w.x.String()
	for i, f := range side.fields {
		if side.exprs[i] == label && f.Format == e.field.Format && f.Encoding == e.field.Encoding {
			return ref{&side.side, i}, true
		}
	}
	e.field.Hidden, side.used = true, true
	return side.add(e, w.x)
}

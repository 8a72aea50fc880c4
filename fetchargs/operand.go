package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A want is a value to fetch, with what it is compared with, which may say more
// about the value than its type does.
type want struct {
	x       spec.Expr
	format  spec.Name     // empty if not given
	with    *spec.Literal // nil if not compared, or compared with an expression
	pointer bool          // for text, the address is wanted
	name    string        // name of the field; "" to name it after x
	hidden  bool          // not shown; may share a field that is fetched already
}

// wants returns the values that an item shows; for a condition, those that it compares,
// each once.
func wants(item *spec.Item) []want {
	list := []want{{x: item.Expr}}
	if item.Cond != nil {
		list = operands(item.Cond)
	}
	for i := range list {
		list[i].name = item.Name.Text
		if item.Format.Text != "" {
			list[i].format = item.Format
		}
	}
	if item.Cond == nil {
		return list
	}
	shown := map[string]bool{}
	return slices.DeleteFunc(list, func(w want) bool {
		text := spec.Formatted(w.x, w.format)
		again := shown[text]
		shown[text] = true
		return again
	})
}

// operands returns the values that a condition compares, in order.
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

// left returns what a condition needs of its left side. For a pointer to text that
// is compared with NULL, this is the pointer's own value.
func left(c *spec.Compare) want {
	w := want{x: c.X, format: c.Format, with: c.Value, hidden: true}
	w.pointer = c.Mask == nil && (c.Op == "==" || c.Op == "!=") && c.Value.IsNull()
	return w
}

// fetch adds a field with the value of w.
func (r *resolver) fetch(w want) (ref, bool) {
	if x, ok := w.x.(*spec.Ident); ok && w.hidden {
		w = r.meant(x, w)
	}
	if x, ok := w.x.(*spec.Since); ok {
		return r.since(x, w)
	}
	f, count, ok := r.formatOf(w.format)
	if !ok {
		return ref{}, false
	}
	p, ok := r.walk(w.x)
	if !ok {
		return ref{}, false
	}
	if e, ok := w.x.(*spec.Typed); ok && f == nil {
		f = typedFormat(e, p.typ)
	}
	if f == nil && w.with != nil && w.with.Kind == spec.Address {
		f = r.impliedFormat(p.typ, len(w.with.Bytes))
	}
	var e encoded
	if count > 0 {
		e, ok = r.encodeCounted(p, w, f, count)
	} else {
		e, ok = r.encode(p, w, f)
	}
	if !ok || e.route.symbol != nil && !r.within(e, w.x) {
		return ref{}, false
	}
	e.field.Macros, e.field.Name = r.macros(), p.name
	if p.wide != nil && (f == nil || f.Shape == value.AnyNumber) {
		e.field.Type = p.wide
	}
	switch scalar := e.field.Encoding == value.Integer || e.field.Encoding == value.BitField; {
	case f != nil:
		e.field.Format = f.Name
	case scalar && (btf.Pointee(p.typ) == nil || value.IsPerCPU(p.set)):
		e.field.Set, e.field.By = r.setOf(p)
	}
	e.field.Use = r.useOf(p)
	if r.target.HZ != nil && mayHaveJiffies(&e.field) {
		e.field.HZ = r.target.HZ()
	}
	e.field.BigEndian = f != nil && f.Big || (f == nil || f.Form == value.Named) && btf.IsBigEndian(e.field.Type)
	side := r.entry
	if e.route.ret {
		side = r.exit
	}
	return side.add(e, w)
}

// mayHaveJiffies reports whether a number of f, or in f, may count jiffies. Any number
// that is recorded may be shown as jiffies later.
func mayHaveJiffies(f *value.Field) bool {
	switch f.Encoding {
	case value.Dumped, value.Integer:
		return true
	case value.Array:
		return f.Format == "jiffies" || f.Type != nil && f.Format == "" && btf.IsStruct(f.Type)
	}
	return f.Format == "jiffies" || f.Set == "jiffies"
}

// impliedFormat returns the format of a value of type t that is compared with an
// address of n bytes: IPv6 or MAC if the value may be one.
func (r *resolver) impliedFormat(t btf.Type, n int) *value.Format {
	if t == nil {
		return nil
	}
	implied := map[int]*value.Format{6: value.FormatNamed("mac"), 16: value.FormatNamed("ip6")}[n]
	target := r.pointee(t)
	if target == nil {
		target = t
	} else if btf.IsByte(target) {
		return implied
	}
	size, _ := btf.Size(target)
	array, isArray := btf.AsArray(target)
	switch {
	case isArray && n == 6 && size > n && btf.IsByte(array.Type): // the rest is room for longer addresses
		return implied
	case isArray && target != t && size == n, btf.IsStruct(target) && size == n:
		return implied
	}
	return nil
}

// holdsText reports whether a value of type t is text because l, with which it is
// compared, is text: t is an array of bytes or a pointer to them.
func holdsText(t btf.Type, l *spec.Literal) bool {
	if t == nil || l == nil || l.Kind != spec.Quoted && l.Kind != spec.CharLit {
		return false
	}
	elem := btf.Pointee(t)
	if array, ok := btf.AsArray(t); ok {
		elem = array.Type
	}
	if elem == nil {
		return false
	}
	i, ok := btf.Strip(elem).(*btf.Int)
	return ok && i.Size == 1 && i.Encoding != btf.Bool
}

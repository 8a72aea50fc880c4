package cond

import (
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// A Want is a value to fetch, with what it is compared with, which may say more
// about the value than its type does.
type Want struct {
	X       spec.Expr
	Format  spec.Name     // empty if not given
	With    *spec.Literal // nil if not compared, or compared with an expression
	Pointer bool          // for text, the address is wanted
	Name    string        // name of the field; "" to name it after x
	Hidden  bool          // not shown; may share a field that is fetched already
}

// Wants returns the values that an item shows; for a condition, those that it compares,
// each once.
func Wants(item *spec.Item) []Want {
	list := []Want{{X: item.Expr}}
	if item.Cond != nil {
		list = Operands(item.Cond)
	}
	for i := range list {
		list[i].Name = item.Name.Text
		if item.Format.Text != "" {
			list[i].Format = item.Format
		}
	}
	if item.Cond == nil {
		return list
	}
	shown := map[string]bool{}
	return slices.DeleteFunc(list, func(w Want) bool {
		text := spec.Formatted(w.X, w.Format)
		again := shown[text]
		shown[text] = true
		return again
	})
}

// Shown returns the values that an item shows, without the duration of the call: each line
// shows that. It adds to errs what is wrong.
func Shown(errs *spec.Collector, f Finder, item *spec.Item) []Want {
	return slices.DeleteFunc(Wants(item), func(w Want) bool {
		is, _ := f.Elapsed(w.X)
		if is && (item.Name.Text != "" || item.Format.Text != "") {
			errs.Fail(item.Span, "write duration alone", "each line shows the duration in a form of its own")
		}
		return is
	})
}

// Operands returns the values that a condition compares, in order.
func Operands(c spec.Cond) []Want {
	switch c := c.(type) {
	case *spec.Compare:
		left := Want{X: c.X, Format: c.Format, With: c.Value}
		if c.Other != nil {
			return []Want{left, {X: c.Other, Format: c.OtherFormat}}
		}
		return []Want{left}
	case *spec.Not:
		return Operands(c.X)
	case *spec.And:
		return append(Operands(c.X), Operands(c.Y)...)
	case *spec.Or:
		return append(Operands(c.X), Operands(c.Y)...)
	}
	return nil
}

// left returns what a condition needs of its left side. For a pointer to text that
// is compared with NULL, this is the pointer's own value.
func left(c *spec.Compare) Want {
	w := Want{X: c.X, Format: c.Format, With: c.Value, Hidden: true}
	w.Pointer = c.Mask == nil && (c.Op == "==" || c.Op == "!=") && c.Value.IsNull()
	return w
}

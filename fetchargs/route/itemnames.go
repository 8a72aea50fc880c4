package route

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// ItemNamed returns the item to which the user gave the name x, nil if there is none. An item of a
// function based event hides a parameter of that name, as a field of an event does;
// other items do not.
func (r *Walker) ItemNamed(x *spec.Ident) (found *spec.Item, err *spec.Error) {
	isParam := slices.ContainsFunc(r.fn.Proto.Params, func(p btf.Param) bool { return p.Name == x.Text })
	for _, item := range r.fn.Spec.Items {
		_, typed := item.Expr.(*spec.Typed)
		if item.Expr == nil || item.Name.Text != x.Text || isParam && !typed || item == r.naming {
			continue
		}
		if found != nil && typed {
			return found, spec.Errorf(x.Span, "give each a name of its own: NAME=VALUE", "two values are called %s", x.Text)
		}
		if found == nil {
			found = item
		}
	}
	return found, nil
}

package route

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// operands yields what can be in place of a parameter.
func (r *Walker) operands(yield func(name, is string) bool) {
	for _, p := range r.fn.Proto.Params {
		if p.Name != "" && !yield(p.Name, btf.Name(p.Type)) {
			return
		}
	}
	if r.fn.Source.Returns() && !btf.IsVoid(r.fn.Proto.Return) && !yield("return", btf.Name(r.fn.Proto.Return)) {
		return
	}
	for _, item := range r.fn.Spec.Items {
		if item.Expr != nil && item.Name.Text != "" && !yield(item.Name.Text, item.Expr.String()) {
			return
		}
	}
	functions := []string{"container_of(", "sizeof(", "since(", "who("}
	if r.fn.Target.CPUs != nil {
		functions = append(functions, "this_cpu(", "per_cpu(")
	}
	for _, name := range functions {
		if !yield(name, "") {
			return
		}
	}
}

// FormatNames yields the FORMATs.
func FormatNames(yield func(name, is string) bool) {
	for _, name := range value.FormatNames() {
		if !yield(name, "") {
			return
		}
	}
}

package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// The duration of a call is not fetched by a probe: it is known once the entry and
// the return have been seen, and every line shows it. Conditions call it duration.

// Elapsed reports whether x is the duration of the call and not a parameter or an
// item of that name. If it is, both ends of the calls are traced.
func (r *resolver) Elapsed(x spec.Expr) (is, ok bool) {
	if !spec.IsDuration(x) {
		return false, false
	}
	if id, named := x.(*spec.Ident); named {
		isParam := slices.ContainsFunc(r.fn.Proto.Params, func(p btf.Param) bool { return p.Name == id.Text })
		if item, _ := r.walk.ItemNamed(id); isParam || item != nil {
			return false, false
		}
	}
	if slices.Contains(endless, r.fn.Proto.Name) || !r.fn.Source.Returns() {
		r.Fail(x.Where(), "", "%s does not return: it has no duration", r.fn.Proto.Name)
		return true, false
	}
	r.entry.Used, r.exit.Used = true, true
	return true, true
}

// endless lists functions that do not return. BTF does not mark them.
var endless = []string{"do_exit", "do_group_exit", "make_task_dead", "kthread_exit", "kthread_complete_and_exit", "module_put_and_kthread_exit", "panic", "cpu_startup_entry"}

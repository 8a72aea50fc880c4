package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// The duration of a call is not fetched by a probe: it is known once the entry and
// the return have been seen, and every line shows it. Conditions call it duration.

// elapsed reports whether x is the duration of the call and not a parameter or an
// item of that name. If it is, both ends of the calls are traced.
func (r *resolver) elapsed(x spec.Expr) (is, ok bool) {
	if !spec.IsDuration(x) {
		return false, false
	}
	if id, named := x.(*spec.Ident); named {
		isParam := slices.ContainsFunc(r.fn.Params, func(p btf.Param) bool { return p.Name == id.Text })
		if isParam || r.itemNamed(id) != nil {
			return false, false
		}
	}
	if slices.Contains(endless, r.fn.Name) {
		r.Fail(x.Where(), "", "%s does not return: it has no duration", r.fn.Name)
		return true, false
	}
	r.entry.used, r.exit.used = true, true
	return true, true
}

// endless lists functions that do not return. BTF does not mark them.
var endless = []string{"do_exit", "do_group_exit", "make_task_dead", "kthread_exit", "kthread_complete_and_exit", "module_put_and_kthread_exit", "panic", "cpu_startup_entry"}

// elapsed reports whether x is the duration of the recorded calls.
func (s *selection) elapsed(x spec.Expr) (is, ok bool) {
	if !spec.IsDuration(x) || slices.Contains(s.values(), x.String()) {
		return false, false
	}
	if !s.plan.Paired() {
		s.Fail(x.Where(), "record it with both: "+s.spec.Func.Text+"(..., return)", "of %s only one end of the calls was recorded: they have no duration", s.spec.Func.Text)
		return true, false
	}
	for i := range s.sides {
		s.sides[i].used = true
	}
	return true, true
}

// plainDuration refuses a name or a format for the duration.
func plainDuration(c *spec.Collector, item *spec.Item) {
	if item.Name.Text != "" || item.Format.Text != "" {
		c.Fail(item.Span, "write duration alone", "each line shows the duration in a form of its own")
	}
}

// compareDuration makes t compare the duration of the call.
func (c *comparer) compareDuration(t *test, x *spec.Compare) {
	t.elapsed = true
	l := x.Value
	switch _, ordered := opposite[x.Op]; {
	case !ordered || x.Mask != nil:
		c.Fail(x.Where(), "durations are compared by their order", "a duration has neither bits nor text")
	case x.Other != nil:
		c.Fail(x.Other.Where(), "units are ns, us, ms and s", "a duration is compared with a time")
	case l.Kind == spec.Time || l.IsNull():
		t.value = constant{kind: value.Uint, shown: l.String()}
		if l.Int != nil {
			t.value.num = l.Int.Uint64()
		}
	case l.Kind == spec.Number:
		c.FailFix(l.Span, spec.Fix{Span: l.Span, Text: l.Text + "ns"}, "the units are ns, us, ms and s: ", "a duration is compared with a time")
	default:
		c.Fail(l.Span, "units are ns, us, ms and s", "a duration is compared with a time")
	}
}

package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/route"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// The time since an earlier call, and who made that call, is not in the record of a call.
// The reader of the records keeps a clock for each key, which some calls start and others
// stop, and writes the time into the record, as it does for ages, or the task that started
// the clock. So the kernel's filter must also pass those calls.

// roomFor returns the field for the value of x, with the fetcharg whose place in the record it
// takes. The kernel's value there is overwritten. A record of the kernel's own event has room
// for one time, in its head.
func (r *resolver) roomFor(x *spec.Since) encode.Encoded {
	stack := dynevent.Base{Kind: dynevent.StackPointer}
	switch kind := r.entry.Kind(); {
	case !kind.Defined() && !x.Who && len(r.out.Clocks) == 1:
		stack = dynevent.Head
	case !kind.AtFunction():
		stack = dynevent.Base{Kind: dynevent.Immediate}
	}
	e := encode.Encoded{
		Field: value.Field{Encoding: value.Age, Type: &btf.Int{Name: "u64", Size: 8}, Format: "ago", Size: 8, Clock: true},
		Route: route.Route{Base: stack, Mem: x.Who}, Type: dynevent.X64, Span: x.Span, Use: "since " + x.String() + " ", ArgName: x.Word(),
	}
	if x.Who {
		e.Count = value.TaskSize / 8
		e.Field = value.Field{Encoding: value.Who, Size: 8, Count: e.Count, Clock: true}
	}
	return e
}

// since fetches what the clock of x needs, and adds a field for the value of x.
func (r *resolver) since(x *spec.Since, w cond.Want) (cond.Ref, bool) {
	text := x.String()
	switch {
	case r.timing == x.Word():
		r.Fail(x.Span, "", "one %s(...) cannot be in another", r.timing)
		return cond.Ref{}, false
	case r.timing != "":
		r.Fail(x.Span, "", "%s(...) cannot be in %s(...)", x.Word(), r.timing)
		return cond.Ref{}, false
	case w.Format.Text != "":
		r.Fail(w.Format.Span, "leave it out", "%s(...) is shown as %s", x.Word(), spec.ValueOf(x.Who))
		return cond.Ref{}, false
	case !r.clock(x, text):
		return cond.Ref{}, false
	case !r.fn.Target.Live && !r.fn.Target.Calls && x.Who:
		r.Fail(x.Span, "leave it out, or trace with tsnoop", "emitted lines cannot show who made another call: tsnoop itself remembers the task")
		return cond.Ref{}, false
	case !r.fn.Target.Live && !r.fn.Target.Calls:
		r.Fail(x.Span, "leave it out, or trace with tsnoop", "emitted lines cannot show how long ago another call was: tsnoop itself keeps the time")
		return cond.Ref{}, false
	}
	at, ok := r.entry.Add(r.roomFor(x), w)
	if !ok {
		return at, false
	}
	for i := range r.out.Clocks {
		if c := &r.out.Clocks[i]; c.Text == text && c.ShownField < 0 {
			c.ShownField = at.Index
		}
	}
	return at, true
}

// clock adds the clock of x to the plan, unless the plan has it already.
func (r *resolver) clock(x *spec.Since, text string) bool {
	for i := range r.out.Clocks {
		if r.out.Clocks[i].Text == text {
			return true
		}
	}
	r.timing = x.Word()
	defer func() { r.timing = "" }()
	before := len(r.Errs)
	c := plan.Clock{Text: text, ShownField: -1}
	for _, k := range x.Keys() {
		field, ok := r.key(k, x.Word())
		if !ok {
			return false
		}
		c.KeyFields = append(c.KeyFields, field)
	}
	if x.Other != nil {
		c.Name = x.Clock(r.fn.Spec)
	}
	for _, limit := range []struct {
		is   spec.Cond
		test **cond.Test
	}{{x.Start, &c.Start}, {x.End, &c.End}} {
		if limit.is == nil {
			continue
		}
		t := cond.Of(&r.Collector, r, limit.is)
		if len(r.Errs) > before {
			return false
		}
		if _, exit := t.Sides(); exit {
			r.Fail(limit.is.Where(), "", "%s(...) needs its conditions at the entry; what %s returns is not known then", x.Word(), r.fn.Proto.Name)
			return false
		}
		*limit.test = t
	}
	r.out.Clocks = append(r.out.Clocks, c)
	return true
}

// key fetches a key of a clock.
func (r *resolver) key(x spec.Expr, word string) (field int, ok bool) {
	key, ok := r.Fetch(cond.Want{X: x, Hidden: true})
	switch {
	case !ok:
		return 0, false
	case key.Values.At == dynevent.Return:
		r.Fail(x.Where(), "", "%s is known only when %s returns; %s(...) needs its key at the entry", x, r.fn.Proto.Name, word)
		return 0, false
	case key.Field().Encoding != value.Integer && key.Field().Encoding != value.BitField:
		r.Fail(x.Where(), "", "%s is not a key: a key is a number or an address", x)
		return 0, false
	}
	return key.Index, true
}

// starts makes the plan one that starts a clock of another, for which it has only the keys.
func (r *resolver) starts() {
	r.timing = "since"
	c := plan.Clock{Text: r.fn.Spec.String(), ShownField: -1, Name: r.fn.Spec.Starts}
	for _, item := range r.fn.Spec.Items {
		field, ok := r.key(item.Expr, "since")
		if !ok {
			return
		}
		c.KeyFields = append(c.KeyFields, field)
	}
	r.out.Starts, r.out.Clocks = c.Name, []plan.Clock{c}
}

// atEntry reports conditions on what a call that starts a clock returns.
func (r *resolver) atEntry(all []*cond.Test) {
	for _, t := range all {
		if _, exit := t.Sides(); exit {
			r.Fail(r.fn.Spec.If.Where(), "", "a clock starts at the entry; what %s returns is not known then", r.fn.Proto.Name)
		}
	}
}

// passing sets a filter for the kernel that passes all calls that start or stop clocks,
// besides those that the spec asks for. User space decides which are shown.
func (r *resolver) passing(all []*cond.Test) {
	if len(all) == 0 {
		return
	}
	r.out.Check = cond.Join(true, all...)
	r.out.Asked = r.out.Check
	each := r.out.Check.And
	if each == nil {
		each = []*cond.Test{r.out.Check}
	}
	var asked, pass []*cond.Test
	for _, t := range each {
		if _, exit := t.Sides(); exit {
			continue
		}
		if r.entry.CanFilter(t) {
			asked = append(asked, t)
		}
	}
	for i := range r.out.Clocks {
		c := &r.out.Clocks[i]
		if c.Start == nil {
			asked = nil
			break
		}
		if pass = append(pass, c.Start); c.End != nil {
			pass = append(pass, c.End)
		}
	}
	if r.out.Partial = true; len(asked) > 0 {
		r.builder.Push(cond.Join(false, append(pass, cond.Join(true, asked...))...))
	}
}

// starterAttempts looks up what starts clocks of specs.
func starterAttempts(t *target.Target, specs []*spec.Spec) ([]find.Attempt, error) {
	return find.Attempts(t, spec.WithStarters(specs)[len(specs):])
}

// starters makes the plans of those that start clocks of plans, which are those of one spec.
func (run *resolving) starters(plans []*plan.Plan, attempts []find.Attempt) (all []*plan.Plan, errs spec.Errors, fatal error) {
	made := map[string]bool{"": true}
	for _, p := range plans {
		if p == nil {
			continue
		}
		for i := range p.Clocks {
			name := p.Clocks[i].Name
			if made[name] {
				continue
			}
			made[name] = true
			for _, a := range attempts {
				if a.Spec.Starts != name {
					continue
				}
				found, wrong, err := run.plans(a.Jobs, spec.MaxErrors)
				if err != nil {
					return nil, nil, err
				}
				all, errs = append(all, found...), append(append(errs, a.Errs...), wrong...)
			}
		}
	}
	return all, errs, nil
}

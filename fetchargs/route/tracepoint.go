package route

import (
	"cmp"
	"fmt"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/source"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/tracepoint"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// locateFields returns the routes to the fields of an event, and to the arguments of its
// tracepoint. Which of them there are depends on the way: only a probe at the tracepoint itself
// has the arguments, and it does not have the fields. But some fields are arguments.
func (r *Walker) locateFields() ([]Route, []error) {
	e, params := r.fn.Event, r.fn.Proto.Params
	kind, _ := r.fn.Way.Probe(dynevent.Entry)
	routes, errs := make([]Route, len(params)), make([]error, len(params))
	conversions := tracepoint.Conversions(e.Print)
	for i, p := range params {
		f, n := e.Field(p.Name), r.fn.Argument(p.Name)
		switch {
		case f != nil && kind != dynevent.Tprobe:
			routes[i] = fieldRoute(f, p.Type)
			if routes[i].Set = cmp.Or(value.SetOfEvent(e.Title(), f.Name), conversions[f.Name]); n > 0 {
				routes[i] = routes[i].remark(Detail, p.Name+" is the field of the event; the tracepoint also has an argument of that name")
			}
		case f != nil:
			errs[i] = source.Limit{Why: fmt.Sprintf("it is a field of the event, and %s", kind.Has()), In: source.Way{dynevent.Existing}, Hint: apart}
		case kind == dynevent.Tprobe:
			routes[i] = Route{Type: p.Type, Base: dynevent.Base{Kind: dynevent.ArgN, N: int64(n)}}
		default:
			if f := holder(e, p.Name); f != nil && btf.Pointee(p.Type) != nil {
				routes[i] = Route{Type: p.Type, Base: dynevent.Base{Kind: dynevent.Field, Name: f.Name}}
				continue
			}
			errs[i] = source.Limit{Why: fmt.Sprintf("it is an argument of the tracepoint, and %s", kind.Has()), In: source.Way{dynevent.Tprobe}, Hint: apart}
		}
	}
	return routes, errs
}

// builtinOfEvent returns the route to $argN or $current, which only a probe at the tracepoint has.
// Registers and the stack are those of the kernel's code that records events.
func (r *Walker) builtinOfEvent(x *spec.Builtin, p Route) (Route, *spec.Error) {
	kind, _ := r.fn.Way.Probe(dynevent.Entry)
	n, args := int(p.Base.N), r.fn.Arguments()
	switch p.Base.Kind {
	case dynevent.ArgN:
		if len(args) > 0 && n > len(args) {
			return p, spec.Errorf(x.Span, "", "the tracepoint %s has %d arguments", r.fn.Proto.Name, len(args))
		}
	case dynevent.Current:
		if !r.fn.Target.Features.Current {
			return p, spec.Errorf(x.Span, "use $comm for the task's name", "this kernel cannot fetch $current at a tracepoint, which came with 7.3")
		}
		var err *spec.Error
		if p, err = r.current(x, p); err != nil {
			return p, err
		}
	default:
		return p, spec.Errorf(x.Span, builtinsOfEvents, "%s is not known at a tracepoint", x.Text)
	}
	if kind != dynevent.Tprobe {
		limit := source.Limit{Why: kind.Has(), In: source.Way{dynevent.Tprobe}, Hint: apart}
		return p, spec.ErrorWith(x.Span, limit, "", "cannot fetch %s: %s", x.Text, limit.Why)
	}
	return p, nil
}

const builtinsOfEvents = "use $comm, $argN or, since 7.3, $current"

const apart = "use two specs: one with fields, one with arguments"

// fieldRoute returns the route to a field. Text and arrays are in the record.
func fieldRoute(f *tracepoint.Field, t btf.Type) Route {
	p := Route{Type: t, Base: dynevent.Base{Kind: dynevent.Field, Name: f.Name}}
	if _, array := t.(*btf.Array); !array {
		return p
	}
	p.Mem, p.Base.Kind = true, dynevent.FieldArray
	if f.IsText() {
		p.Base.Kind = dynevent.FieldText
	}
	return p
}

// holder returns the field whose value is an argument, nil if there is none.
func holder(e *tracepoint.Event, argument string) *tracepoint.Field {
	for i := range e.Fields {
		if f := &e.Fields[i]; f.Holds(argument) {
			return f
		}
	}
	return nil
}

package fetchargs

import (
	"cmp"
	"errors"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/source"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// firstWay makes a plan in the first of the ways to see what the spec is about that has all
// that the spec asks for. If none has, the errors are those of the way that lacks least, and
// among such ways those of the one that got furthest.
func (r *resolver) firstWay(attempt func() *plan.Plan) *plan.Plan {
	before, least := slices.Clone(r.Errs), spec.Errors(nil)
	ways := slices.DeleteFunc(slices.Clone(r.fn.Source.Ways()), func(w source.Way) bool { return !r.offers(w) })
	if n := len(ways); !r.fn.Spec.Parens && n > 1 { // rather show not all than nothing
		ways = append(ways, ways[0])
	}
	for i, way := range ways {
		r.fn.Way, r.Errs, r.strict = way, slices.Clone(before), i+1 < len(ways)
		if p := attempt(); p != nil || r.fatal != nil || !slices.ContainsFunc(r.Errs[len(before):], isLimit) {
			return p
		}
		r.builder.Unname()
		if least == nil || cmp.Or(cmp.Compare(len(least), len(r.Errs)), cmp.Compare(furthest(r.Errs), furthest(least))) > 0 {
			least = r.Errs
		}
	}
	r.adviseNewer(least)
	if r.Errs = least; least == nil {
		r.Fail(r.fn.Spec.Func.Span, "leave out --reader=text", "the kernel's text of %s does not show which value is which", r.fn.Spec.Func.Text)
	}
	return nil
}

// adviseNewer adds to the errors of limits what kernels have that this one lacks, or that there
// is another way, if that has what is missing, but not all else.
func (r *resolver) adviseNewer(errs spec.Errors) {
	for _, e := range errs {
		var limit source.Limit
		if e.Hint != "" || !errors.As(e.Err, &limit) {
			continue
		}
		ways := r.fn.Source.Ways()
		if limit.In != nil {
			ways = []source.Way{limit.In}
			e.Hint = limit.Hint
		}
		for _, way := range ways {
			if kind, _ := way.Probe(dynevent.Entry); !kind.Offered(r.fn.Target.Features) {
				e.Hint = "use a kernel since " + kind.Since() + ", where " + kind.Has()
				break
			}
		}
	}
}

// offers reports whether the target has probes of a way. The kernel's text does not show
// the values of events that are not defined by their names.
func (r *resolver) offers(way source.Way) bool {
	for _, kind := range way {
		if !kind.Offered(r.fn.Target.Features) || r.fn.Target.AsText && !kind.Defined() {
			return false
		}
	}
	return true
}

// isLimit reports whether something is wrong only in the way that was tried.
func isLimit(e *spec.Error) bool {
	var limit source.Limit
	return errors.As(e.Err, &limit)
}

// furthest returns the position in the spec up to which nothing is wrong.
func furthest(errs spec.Errors) int {
	first := slices.MinFunc(errs, func(a, b *spec.Error) int { return cmp.Compare(a.Span.Pos, b.Span.Pos) })
	return first.Span.Pos
}

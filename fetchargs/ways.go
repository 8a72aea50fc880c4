package fetchargs

import (
	"errors"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/source"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// firstWay makes a plan in the first of the ways to see what the spec is about that has all
// that the spec asks for. If none has, the errors are those of the last.
func (r *resolver) firstWay(attempt func() *plan.Plan) *plan.Plan {
	before := slices.Clone(r.Errs)
	for _, way := range r.fn.Source.Ways() {
		if !r.offers(way) {
			continue
		}
		r.fn.Way, r.Errs = way, slices.Clone(before)
		if p := attempt(); p != nil || r.fatal != nil || !slices.ContainsFunc(r.Errs[len(before):], isLimit) {
			return p
		}
		r.unname()
	}
	return nil
}

// offers reports whether the target has probes of a way.
func (r *resolver) offers(way source.Way) bool {
	for _, kind := range way {
		if !kind.Offered(r.fn.Target.Features) {
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

// unname gives up the names of the events of an attempt.
func (r *resolver) unname() {
	r.events.free(r.named)
	r.named = nil
}

package fetchargs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// first returns the plans of the first alternative of a spec that has no errors and that
// the kernel does not refuse.
func (run *resolving) first(all []find.Attempt) (plans []*plan.Plan, errs spec.Errors, fatal error) {
	before := run.events
	for _, a := range all {
		run.events = before.Clone()
		plans, wrong, err := run.plans(a.Jobs, max(1, spec.MaxErrors/len(all)))
		if err != nil {
			return nil, nil, err
		}
		wrong = append(slices.Clone(a.Errs), wrong...)
		if len(wrong) == 0 {
			if wrong, err = run.refused(plans); err != nil {
				return nil, nil, err
			}
		}
		if len(wrong) == 0 {
			for _, p := range plans {
				p.Spec = p.Spec.Alone()
				p.Details = append(inPlaceOf(errs), p.Details...)
			}
			return plans, nil, nil
		}
		errs = append(errs, wrong...)
	}
	run.events = before
	return []*plan.Plan{nil}, noAlternative(all, errs), nil
}

// refused returns why the kernel would refuse plans.
func (run *resolving) refused(plans []*plan.Plan) (errs spec.Errors, err error) {
	for _, p := range plans {
		if run.tried == nil {
			return nil, nil
		}
		wrong, err := run.tried(p)
		if err != nil {
			return nil, err
		}
		errs = append(errs, wrong...)
	}
	return errs, nil
}

// inPlaceOf says why the earlier alternatives were not taken.
func inPlaceOf(errs spec.Errors) []string {
	var why []string
	for _, e := range errs {
		why = append(why, "taken because "+e.Msg)
	}
	return slices.Compact(why)
}

// noAlternative puts an error before those of the alternatives of a spec: that none
// of them can be traced.
func noAlternative(all []find.Attempt, errs spec.Errors) spec.Errors {
	first, last := all[0].Spec, all[len(all)-1].Spec
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = a.Spec.Func.Text
	}
	names = slices.Compact(names)
	msg := fmt.Sprintf("none of these %d can be traced here: %s", len(all), strings.Join(names, ", "))
	return append(spec.Errors{{Text: first.Text, Span: spec.Span{Pos: first.Pos, End: last.End}, Msg: msg}}, errs...)
}

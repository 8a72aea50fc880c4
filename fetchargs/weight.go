package fetchargs

import (
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// maxWeight bounds the plans of a run, which are all in memory: a glob for everything that
// asks for a hundred values would take gigabytes. '*' weighs 430,000 with Linux 7.3, and
// takes 350 MB.
const maxWeight = 600_000

// maxFileWeight is maxWeight where specs come from a file, which may be anybody's: it must not
// take more than 64 MiB.
const maxFileWeight = 30_000

// planWeight is what a plan without values weighs.
const planWeight = 2

// longSpec is how many bytes of a spec weigh nothing for each function of its glob.
const longSpec = 400

// weighSpec counts the functions that a spec matches, with a part of its length if it is long:
// each plan has all its values and conditions. It returns an error if all of the run weigh too
// much.
func (run *resolving) weighSpec(s *spec.Spec, matches int) *spec.Error {
	run.weight += matches * (planWeight + max(len(s.Text)-longSpec, 0)/16)
	return run.tooHeavy(s, "the plans of %d functions need room for", matches)
}

// weigh counts what the resolver of a function has made: fetchargs and fields, also those of
// a plan that it gave up. It returns an error if all of the run weigh too much.
func (run *resolving) weigh(r *resolver, p *plan.Plan) *spec.Error {
	switch {
	case p != nil:
		for _, probe := range p.Probes {
			run.weight += len(probe.Args) + len(probe.Fields)
		}
	case r.entry != nil:
		run.weight += 2 * (len(r.entry.Fields) + len(r.exit.Fields))
	}
	return run.tooHeavy(r.fn.Spec, "up to %s the plans need room for", r.fn.Spec.Func.Text)
}

// tooHeavy returns an error if all of the run weigh more than is possible.
func (run *resolving) tooHeavy(s *spec.Spec, what string, of any) *spec.Error {
	most, hint := maxWeight, "ask for fewer values, or those of fewer functions"
	if run.target.FromFile {
		most, hint = maxFileWeight, hint+fmt.Sprintf("; without a file %d are possible", maxWeight)
	}
	if run.weight <= most {
		return nil
	}
	return s.Errorf(hint, what+" %d values and conditions, and at most %d are possible", of, run.weight, most)
}

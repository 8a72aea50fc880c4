package fetchargs

import (
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// maxWeight bounds the plans of a run, which are all in memory: a glob for everything that
// asks for a hundred values would take gigabytes. '*' weighs 325,000 with Linux 7.3, and
// takes 350 MB.
const maxWeight = 600_000

// longSpec is how many bytes of a spec weigh nothing for each function of its glob.
const longSpec = 400

// weighSpec counts a part of the length of a long spec for each function that it matches:
// each plan has all its values and conditions. It returns an error if all of the run weigh more than maxWeight.
func (run *resolving) weighSpec(s *spec.Spec, matches int) *spec.Error {
	run.weight += matches * max(len(s.Text)-longSpec, 0) / 16
	if run.weight <= maxWeight {
		return nil
	}
	e := spec.Errorf(s.Func.Span, "write a shorter spec, or one for fewer functions",
		"the plans of %d functions have over %d values and conditions, and at most %d are possible", matches, run.weight, maxWeight)
	e.Text = s.Text
	return e
}

// weigh counts what the resolver of a function has made: fetchargs and fields, also those of
// a plan that it gave up. It returns an error if all of the run weigh more than maxWeight.
func (run *resolving) weigh(r *resolver, p *plan.Plan) *spec.Error {
	switch {
	case p != nil:
		for _, probe := range p.Probes {
			run.weight += len(probe.Args) + len(probe.Fields)
		}
	case r.entry != nil:
		run.weight += 2 * (len(r.entry.Fields) + len(r.exit.Fields))
	}
	if run.weight <= maxWeight {
		return nil
	}
	s := r.fn.Spec
	e := spec.Errorf(s.Func.Span, "ask for fewer values, or those of fewer functions",
		"up to %s the plans have %d values and conditions, and at most %d are possible", s.Func.Text, run.weight, maxWeight)
	e.Text = s.Text
	return e
}

package plan

import (
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/filter"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Conditions returns the conditions of the spec that must all hold, as they are written.
func (p *Plan) Conditions() (all []string) {
	for _, item := range p.Spec.Items {
		if item.Cond != nil {
			all = appendConjuncts(all, item.Cond)
		}
	}
	if p.Spec.If != nil {
		all = appendConjuncts(all, p.Spec.If)
	}
	return all
}

func appendConjuncts(all []string, c spec.Cond) []string {
	if and, ok := c.(*spec.And); ok {
		return appendConjuncts(appendConjuncts(all, and.X), and.Y)
	}
	return append(all, c.String())
}

// CountHeld increments counts[i] if the i-th condition of Conditions holds for a call.
// The other arguments are those of Match. It does nothing if Match does not decide
// exactly these conditions.
func (p *Plan) CountHeld(counts []uint64, decoders []*value.Decoder, records [][]byte, duration uint64, ended bool) {
	each := []*cond.Test{p.Check}
	if p.Check != nil && p.Check.And != nil {
		each = p.Check.And
	}
	if len(each) != len(counts) {
		return
	}
	for i, t := range each {
		one := Plan{Probes: p.Probes, Check: t}
		if one.Match(decoders, records, duration, ended) {
			counts[i]++
		}
	}
}

// ChoosesComm reports whether the kernel's filter selects by the name of the task.
func (p *Probe) ChoosesComm() bool { return strings.Contains(p.Filter, filter.CommWord) }

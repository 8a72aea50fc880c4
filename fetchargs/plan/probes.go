package plan

import (
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
)

// Probes returns the probes of the plans and their spares, returns before entries. With two
// probes on one function the kernel first runs the one that was defined last, and a return
// probe that ran first would hide the caller from the entry probe.
func Probes(plans []*Plan) []*Probe {
	var probes []*Probe
	for _, p := range plans {
		for _, probe := range slices.Backward(p.Probes) {
			probes = append(probes, probe.WithSpare()...)
		}
	}
	return probes
}

// WithSpare returns p and its spare, if it has one, in the order of definition: the
// kernel runs entries latest first, and returns in the order of definition. The spare
// comes last.
func (p *Probe) WithSpare() []*Probe {
	switch {
	case p.Spare == nil:
		return []*Probe{p}
	case p.Side == dynevent.Return:
		return []*Probe{p, p.Spare}
	}
	return []*Probe{p.Spare, p}
}

// SpecTexts returns the texts of the specs, each once, without those of tsnoop itself.
func SpecTexts(plans []*Plan) (specs []string) {
	known := map[string]bool{}
	for _, p := range plans {
		if text := p.Spec.Text; !known[text] && !p.IsOwn() {
			known[text] = true
			specs = append(specs, text)
		}
	}
	return specs
}

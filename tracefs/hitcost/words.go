package hitcost

import (
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
)

// OfCall returns in words what a call of the plan's function costs.
func (c *Costs) OfCall(p *plan.Plan) string {
	text := "about " + micros(c.traced.call(p)) + " a call on this host, "
	if c.pids {
		text += micros(c.skipped.call(p)) + " if the task is not traced, "
	}
	return text + c.basis()
}

// basis says what the figures are made from.
func (c *Costs) basis() string {
	return "an estimate from test probes measured in " + duration(float64(c.took))
}

// mostPlans is how many plans have a line of their own.
const mostPlans = 10

// OfHits returns in words what hits have cost.
func (c *Costs) OfHits(h *Hits) (lines []string) {
	var all cost
	known := map[string]bool{} // functions whose trap is in the sum
	for i, p := range h.plans {
		trap := !known[p.Probes[0].Symbols[0]]
		known[p.Probes[0].Symbols[0]] = true
		one := cost{h.of(p), c.traced.sum(h, p, trap), c.skipped.sum(h, p, trap), c.pids}
		all = cost{all.hits + one.hits, all.most + one.most, all.least + one.least, c.pids}
		if i < mostPlans {
			lines = append(lines, fmt.Sprintf("cost of %s: %s", p.FuncName(), one))
		}
	}
	if len(h.plans) > 1 {
		lines = append(lines, fmt.Sprintf("cost of all functions: %s", all))
	}
	lines[len(lines)-1] += ", " + c.basis()
	return lines
}

// A cost is what hits have cost, in ns: least if all were by tasks that are not traced, most if
// all were by tasks that are. Without Options.Pids there are none of the former.
type cost struct {
	hits        uint64
	most, least float64
	pids        bool
}

func (c cost) String() string {
	n := float64(c.hits)
	if c.pids {
		return fmt.Sprintf("%s by all tasks, %s to %s each, %s to %s of processor time", plural.Of(c.hits, "hit"),
			micros(c.least/n), micros(c.most/n), duration(c.least), duration(c.most))
	}
	return fmt.Sprintf("%s, about %s each, %s of processor time", plural.Of(c.hits, "hit"), micros(c.most/n), duration(c.most))
}

// micros returns ns as text in µs with two digits.
func micros(ns float64) string {
	if us := ns / 1e3; us < 9.95 {
		return fmt.Sprintf("%.1f us", max(0.1, us))
	}
	return fmt.Sprintf("%.0f us", ns/1e3)
}

// duration returns ns as text in a suitable unit, with two digits or more.
func duration(ns float64) string {
	switch {
	case ns < 1e6:
		return micros(ns)
	case ns < 9.95e6:
		return fmt.Sprintf("%.1f ms", ns/1e6)
	case ns < 1e9:
		return fmt.Sprintf("%.0f ms", ns/1e6)
	}
	return fmt.Sprintf("%.1f s", ns/1e9)
}

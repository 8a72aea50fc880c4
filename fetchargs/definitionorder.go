package fetchargs

import (
	"cmp"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/find"
)

// A PlanSide is a side of one of several plans.
type PlanSide struct {
	Plan int // index
	Side dynevent.Side
}

// DefinitionOrder returns the sides of plans in the order in which their probes are to be
// defined, function by function. A FaultCount relies on this order.
//
// The returns of a function come before its entries: the kernel runs the probes of a
// function latest first, and a return probe replaces the return address with a trampoline,
// which the later probes would show as the caller.
func DefinitionOrder(plans []*Plan) []PlanSide {
	at := map[string][]int{}
	for i, p := range plans {
		place := p.Probes[0].Symbols[0]
		at[place] = append(at[place], i)
	}
	var sides []PlanSide
	for _, place := range places(plans) {
		for _, side := range []dynevent.Side{dynevent.Return, dynevent.Entry} {
			for _, i := range at[place] {
				sides = append(sides, PlanSide{i, side})
			}
		}
	}
	return sides
}

// A placeRank orders the functions of a run. The later one is defined, the sooner the
// kernel finds its probe in kprobe_table, and the shorter are the fetchargs that do.
type placeRank int

const (
	uncounted placeRank = iota // functions whose faults are not counted, at addresses that fetchargs does not know
	matched                    // functions that only globs match
	named
)

// places returns the places of plans, each once and in the order of definition.
func places(plans []*Plan) []string {
	ranks := placeRanks{rank: map[string]placeRank{}}
	for _, p := range plans {
		rank := named
		switch first := p.Probes[0]; {
		case p.Renames != "" || p.Func.Module != "" || len(first.Symbols) > 1:
			rank = uncounted
		case p.Glob != nil:
			rank = matched
		}
		ranks.add(p.Probes[0].Symbols[0], rank)
	}
	return ranks.sorted()
}

// placeRanks are functions with the highest rank of each.
type placeRanks struct {
	names []string
	rank  map[string]placeRank
}

func (r *placeRanks) add(name string, rank placeRank) {
	old, seen := r.rank[name]
	if !seen {
		r.names = append(r.names, name)
	}
	r.rank[name] = max(old, rank)
}

func (r *placeRanks) sorted() []string {
	slices.SortStableFunc(r.names, func(a, b string) int { return cmp.Compare(r.rank[a], r.rank[b]) })
	return r.names
}

// guessedPlaces returns what places will return for the plans of jobs, if each job gets a
// plan.
func guessedPlaces(jobs []find.Job) []string {
	ranks := placeRanks{rank: map[string]placeRank{}}
	for _, j := range jobs {
		rank := named
		switch {
		case j.Spec.Module.Text != "":
			rank = uncounted
		case j.Glob != nil:
			rank = matched
		}
		ranks.add(j.EntryPoint, rank)
	}
	return ranks.sorted()
}

// counts reports whether one of the plans fetches the count of faults.
func counts(plans []*Plan) bool {
	return slices.ContainsFunc(Probes(plans), func(p *Probe) bool {
		return slices.ContainsFunc(p.Args, func(a dynevent.Arg) bool {
			return a.Base.Kind == dynevent.Memory && a.Base.Name == dynevent.KprobeTable
		})
	})
}

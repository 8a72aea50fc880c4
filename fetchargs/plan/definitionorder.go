package plan

import (
	"cmp"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
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
	for _, place := range Places(plans) {
		for _, side := range []dynevent.Side{dynevent.Return, dynevent.Entry} {
			for _, i := range at[place] {
				sides = append(sides, PlanSide{i, side})
			}
		}
	}
	return sides
}

// A PlaceRank orders the functions of a run. The later one is defined, the sooner the
// kernel finds its probe in kprobe_table, and the shorter are the fetchargs that do.
type PlaceRank int

const (
	Uncounted PlaceRank = iota // functions whose faults are not counted, at addresses that fetchargs does not know
	Matched                    // functions that only globs match
	Named
)

// Places returns the places of plans, each once and in the order of definition.
func Places(plans []*Plan) []string {
	ranks := PlaceRanks{Rank: map[string]PlaceRank{}}
	for _, p := range plans {
		rank := Named
		switch first := p.Probes[0]; {
		case p.Renames != "" || p.Func.Module != "" || len(first.Symbols) > 1 || !p.AtFunction():
			rank = Uncounted
		case p.Glob != nil:
			rank = Matched
		}
		ranks.Add(p.Probes[0].Symbols[0], rank)
	}
	return ranks.Sorted()
}

// PlaceRanks are functions with the highest rank of each.
type PlaceRanks struct {
	names []string
	Rank  map[string]PlaceRank
}

func (r *PlaceRanks) Add(name string, rank PlaceRank) {
	old, seen := r.Rank[name]
	if !seen {
		r.names = append(r.names, name)
	}
	r.Rank[name] = max(old, rank)
}

func (r *PlaceRanks) Sorted() []string {
	slices.SortStableFunc(r.names, func(a, b string) int { return cmp.Compare(r.Rank[a], r.Rank[b]) })
	return r.names
}

package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
)

// guessedPlaces returns what places will return for the plans of jobs, if each job gets a
// plan.
func guessedPlaces(jobs []find.Job) []string {
	ranks := plan.PlaceRanks{Rank: map[string]plan.PlaceRank{}}
	for _, j := range jobs {
		rank := plan.Named
		switch {
		case j.Spec.Module.Text != "" || !j.Source.AtFunctions():
			rank = plan.Uncounted
		case j.Glob != nil:
			rank = plan.Matched
		}
		ranks.Add(j.EntryPoint, rank)
	}
	return ranks.Sorted()
}

// counts reports whether one of the plans fetches the count of faults.
func counts(plans []*plan.Plan) bool {
	return slices.ContainsFunc(plan.Probes(plans), func(p *plan.Probe) bool {
		return slices.ContainsFunc(p.Args, func(a dynevent.Arg) bool {
			return a.Base.Kind == dynevent.Memory && a.Base.Name == dynevent.KprobeTable
		})
	})
}

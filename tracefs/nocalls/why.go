package nocalls

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/losses"
)

// mostNames is for how many functions the reasons are given.
const mostNames = 5

// why explains for each plan why no call of it has come.
func (q *Counts) why(hits map[string]tracefs.Hits, open []losses.Unfinished, elsewhere func(string) string) (all []string) {
	var uncalled []string
	some := false
	for i, p := range q.plans {
		if p.IsOwn() {
			continue
		}
		name := p.Spec.Func.Text
		first := hits[p.Probes[0].Event]
		if !p.AtFunction() && q.seen[i].entries == 0 {
			all, some = append(all, name+q.notOccurred(p)), true
			continue
		}
		if first.Hits == 0 && first.Misses == 0 && q.seen[i].entries+q.seen[i].returns == 0 {
			if i := slices.IndexFunc(open, func(u losses.Unfinished) bool { return u.Func == name }); i >= 0 {
				came := "came"
				if open[i].Earlier {
					came = "came before the trace"
				}
				all = append(all, name+": "+plural.Of(open[i].Calls, "call")+" "+came+", but none has returned yet")
				some = true
			} else {
				uncalled = append(uncalled, name)
			}
			continue
		}
		some = true
		if text := q.called(i, hits); text != "" && !slices.Contains(all, name+text) {
			all = append(all, name+text)
		}
	}
	if further := len(all) - mostNames; further > 0 {
		all = append(all[:mostNames], "likewise, calls of "+plural.Of(further, "more function"))
	}
	if len(uncalled) > 0 {
		all = append(all, notCalled(uncalled, some, elsewhere))
	}
	return all
}

// notCalled says that functions have not been called, and of which of them another copy
// may have run.
func notCalled(names []string, others bool, elsewhere func(string) string) string {
	slices.Sort(names)
	names = slices.Compact(names)
	n := len(names)
	switch {
	case n == 1:
		text := names[0] + " has not been called"
		if why := elsewhere(names[0]); why != "" {
			text += "; it " + why
		}
		return text
	case n <= mostNames:
		text := strings.Join(names[:n-1], ", ") + " and " + names[n-1] + " have not been called"
		for _, name := range names {
			if why := elsewhere(name); why != "" {
				text += "; " + name + " " + why
			}
		}
		return text
	case others:
		return fmt.Sprintf("%d others have not been called", n)
	}
	return fmt.Sprintf("none of the %d functions has been called", n)
}

// called explains why no call of a function that was called is shown.
func (q *Counts) called(i int, hits map[string]tracefs.Hits) string {
	p, seen := q.plans[i], &q.seen[i]
	first, last := p.Probes[0], p.Probes[0]
	if ret := p.Return(); ret != nil {
		last = ret
	}
	begun := seen.entries
	if first.Side == dynevent.Return {
		begun = seen.returns
	}
	h := hits[first.Event]
	switch {
	case h.Hits == 0 && begun == 0:
		return " has been called, but the kernel could not run its probe: " + plural.Of(h.Misses, "miss")
	case begun == 0:
		// The kernel also counts tsnoop's own calls, of which some functions have
		// hundreds.
		why, own := q.never(p, first), ""
		if strings.HasPrefix(why, "never") {
			own = ", tsnoop's own calls counted"
		}
		return fmt.Sprintf(" has been %s %s%s, but %s", did(first), times(h.Hits), own, why)
	case q.scope.Chain:
		return ": calls were seen, but none in the chain"
	case seen.refused > 0:
		return ": " + plural.Of(seen.refused, "call") + " came, but " + unmet(p, seen)
	case seen.elsewhere > 0:
		return ": " + plural.Of(seen.elsewhere, "call") + " came, but never on a CPU of --cpu"
	case seen.returns > 0 || !p.Paired():
		return ""
	case hits[last.Event].Hits == 0 && hits[last.Event].Misses > 0:
		return ": " + plural.Of(begun, "call") + " came, but the kernel could not follow them to their return: see --maxactive"
	case hits[last.Event].Hits > 0 && last.Chooses():
		return fmt.Sprintf(": %s came, and the function has returned %s, but %s", plural.Of(begun, "call"), times(hits[last.Event].Hits), q.never(p, last))
	}
	return ": " + plural.Of(begun, "call") + " came, but none has returned yet"
}

// notOccurred says that no event of a plan has come whose hits the kernel does not count.
func (q *Counts) notOccurred(p *plan.Plan) string {
	if why := q.never(p, p.Probes[0]); strings.HasPrefix(why, "never") {
		return " has not occurred, or " + why
	}
	return " has not occurred"
}

func did(p *plan.Probe) string {
	if p.Side == dynevent.Return {
		return "left"
	}
	return "called"
}

// never says which properties no event of a probe has had together, so that the kernel
// has recorded none.
func (q *Counts) never(p *plan.Plan, probe *plan.Probe) string {
	var what []string
	if conditions := p.Conditions(); probe.Chooses() && len(conditions) > 0 {
		switch {
		case len(conditions) > 1 && p.Decides(): // the kernel does not check all of them
			what = append(what, "so that the conditions hold")
		default:
			what = append(what, "with "+strings.Join(conditions, " && "))
		}
	}
	if q.scope.Pids {
		what = append(what, "in a traced process")
	}
	if probe.ChoosesComm() {
		what = append(what, "in a task whose name matches --comm")
	}
	if q.scope.CPUs && !p.Paired() {
		what = append(what, "on a CPU of --cpu")
	}
	if len(what) == 0 {
		return "only by tsnoop itself, which does not show its own calls"
	}
	return "never " + strings.Join(what, " ")
}

// unmet says which conditions no call has met.
func unmet(p *plan.Plan, seen *counts) string {
	var never []string
	sum := uint64(0)
	for i, text := range p.Conditions() {
		if sum += seen.held[i]; seen.held[i] == 0 {
			never = append(never, text)
		}
	}
	switch {
	case len(seen.held) == 1:
		return "never with " + never[0]
	case sum > 0 && len(never) > 0:
		return "never with " + strings.Join(never, ", nor with ")
	}
	return "the conditions held for none of them"
}

func times(n uint64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

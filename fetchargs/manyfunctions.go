package fetchargs

import (
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
)

// fewestShared is how many functions of a glob share an event at least. For fewer, an event
// for each is as good.
const fewestShared = 32

// mostUnwanted is how many functions there may be whose records are dropped, for one whose
// records are wanted: the kernel makes those of all functions that the glob matches.
const mostUnwanted = 0.25

// share puts the functions of globs into one event for each glob and side, where all that they
// show is in registers.
func (run *resolving) share(plans []*plan.Plan) {
	if run.target.ProbeSites == nil {
		return
	}
	var sites map[string]uint64
	places := map[string]int{}
	for _, p := range plans {
		if p != nil {
			places[p.Probes[0].Symbols[0]]++
		}
	}
	for _, g := range plan.Globs(plans) {
		var some []*plan.Plan
		for _, p := range plans {
			if p.Glob == g && run.mayShare(p) && places[p.Probes[0].Symbols[0]] == 1 {
				some = append(some, p)
			}
		}
		if len(some) < fewestShared || !isKernelGlob(g) {
			continue
		}
		if sites == nil {
			sites = run.target.ProbeSites()
		}
		run.shareGlob(g, plans, some, sites)
	}
}

// shareGlob is share for some of the functions of a glob.
func (run *resolving) shareGlob(g *find.Glob, plans, some []*plan.Plan, sites map[string]uint64) {
	match, err := btf.Glob(g.Spec.Func.Text)
	if err != nil {
		return
	}
	var with []*plan.Plan
	returns, filter := false, some[0].Probes[0].Filter
	shared := map[string]bool{}
	for _, p := range some {
		if sites[p.Func.Name] != 0 && p.Probes[0].Filter == filter {
			with = append(with, p)
			shared[p.Func.Name] = true
			returns = returns || p.Return() != nil
		}
	}
	unwanted := 0
	for name, site := range sites {
		if site != 0 && match(name) && !shared[name] {
			unwanted++
		}
	}
	if len(with) < fewestShared || float64(unwanted) > mostUnwanted*float64(len(with)) {
		return
	}
	// The kernel replaces the return address of a function whose return has an event, and a
	// kprobe that runs later shows that for its caller. Which runs later depends on other
	// programs.
	for _, p := range plans {
		if returns && p != nil && p.AtFunction() && !p.NoCallers && !p.IsOwn() && match(p.Probes[0].Symbols[0]) && !shared[p.Func.Name] {
			return
		}
	}
	for _, side := range []dynevent.Side{dynevent.Entry, dynevent.Return} {
		run.shareSide(g, with, side, sites)
	}
	how := fmt.Sprintf("by one fprobe event for %d functions; the kernel does not count the calls that it misses; --kprobes makes an event for each function", len(with))
	for _, p := range with {
		p.Details = append(p.Details, how)
	}
}

// shareSide puts the probes of a side into one event.
func (run *resolving) shareSide(g *find.Glob, with []*plan.Plan, side dynevent.Side, sites map[string]uint64) {
	m := &plan.Many{Glob: g.Spec.Func.Text, Kind: dynevent.Fentries}
	suffix := ""
	if side == dynevent.Return {
		m.Kind, suffix = dynevent.Freturns, "__return"
	}
	known := map[string]bool{}
	for _, p := range with {
		for _, probe := range p.Of(side) {
			for i := range probe.Args {
				if a, _ := probe.Shared(i); !known[a.Name] {
					known[a.Name] = true
					m.Args = append(m.Args, a)
				}
			}
			m.Filter = probe.Filter
			run.shares++
			probe.ShareIn(m, sites[p.Func.Name], run.shares)
		}
	}
	if m.Functions > 0 {
		m.Event = run.events.Take("many_"+m.Glob, suffix)
	}
}

// mayShare reports whether all that a plan shows is in registers, and in one record of a side.
func (run *resolving) mayShare(p *plan.Plan) bool {
	if p.IsOwn() || !p.AtFunction() || p.Func.Module != "" || p.IsSyscall() || p.Starts != "" || len(p.Clocks) > 0 || p.PrefaultCall != "" {
		return false
	}
	if len(p.Of(dynevent.Entry)) > 1 || len(p.Of(dynevent.Return)) > 1 {
		return false
	}
	for _, probe := range p.Probes {
		if probe.Spare != nil || len(probe.CPUs) > 0 || len(probe.Symbols) != 1 || probe.Symbols[0] != p.Func.Name || probe.Chooses() {
			return false
		}
		for i := range probe.Args {
			if _, ok := probe.Shared(i); !ok {
				return false
			}
		}
	}
	return true
}

// isKernelGlob reports whether the kernel matches what the glob of a spec matches: it knows
// [a-z], but not [^a-z] (lib/glob.c).
func isKernelGlob(g *find.Glob) bool {
	s := g.Spec
	return s.Module.Text == "" && s.Nth == 0 && s.Else == nil && strings.IndexFunc(s.Func.Text, func(c rune) bool {
		return c != '*' && c != '?' && c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}) < 0
}

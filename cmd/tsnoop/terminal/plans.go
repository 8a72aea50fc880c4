package terminal

import (
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/tracefs"
)

// mostNames is how many functions a warning lists by name.
const mostNames = 5

// Notes warns of what to know about the plans before believing what they show. The notes
// of a glob's functions are details; without --verbose, one warning names some of these
// functions.
func (u *UI) Notes(plans []*plan.Plan) {
	for _, p := range plans {
		for _, detail := range p.Details {
			u.PrintWarning(tracefs.Warning{Text: p.Spec.Func.Text + ": " + detail, Detail: true})
		}
		for _, note := range p.Notes {
			u.PrintWarning(tracefs.Warning{Text: p.Spec.Func.Text + ": " + note, Detail: p.Glob != nil})
		}
	}
	if u.Verbose {
		return
	}
	for _, g := range plan.Globs(plans) {
		names := plan.NamesOf(g, plans, func(p *plan.Plan) bool { return len(p.Notes) > 0 })
		if len(names) > 0 {
			u.PrintWarning(tracefs.Warning{Text: g.Spec.Func.Text + ": some names stand for several functions, " + plural.List(names, mostNames), More: true})
		}
	}
}

// LeftOut warns of what the globs of the plans match that gets no probe. It names a few
// functions for each reason, or all with --verbose.
func (u *UI) LeftOut(plans []*plan.Plan) {
	most := mostNames
	if u.Verbose {
		most = 0
	}
	for _, g := range plan.Globs(plans) {
		for _, text := range []string{g.Warning(most), g.Unseen()} {
			if text != "" {
				u.PrintWarning(tracefs.Warning{Text: text})
			}
		}
	}
}

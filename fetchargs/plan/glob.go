package plan

import (
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/find"
)

// Globs returns the globs that the plans come from, each once.
func Globs(plans []*Plan) []*find.Glob {
	var globs []*find.Glob
	for _, p := range plans {
		if p.Glob != nil && !slices.Contains(globs[max(0, len(globs)-1):], p.Glob) {
			globs = append(globs, p.Glob)
		}
	}
	return globs
}

// Undecided returns the functions, and the globs, some of whose conditions the kernel's
// filter cannot decide.
func Undecided(plans []*Plan) []string {
	var names []string
	partial := func(p *Plan) bool { return p.Partial }
	for _, p := range plans {
		if p.Glob == nil && p.Partial {
			names = append(names, p.Spec.Named())
		}
	}
	for _, g := range Globs(plans) {
		if len(NamesOf(g, plans, partial)) > 0 {
			names = append(names, g.Spec.Named())
		}
	}
	return names
}

// NamesOf returns the functions of the plans that come from the glob and for which so
// is true.
func NamesOf(g *find.Glob, plans []*Plan, so func(*Plan) bool) []string {
	var names []string
	for _, p := range plans {
		if p.Glob == g && so(p) {
			names = append(names, p.Spec.Named())
		}
	}
	return names
}

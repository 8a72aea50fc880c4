package query

import (
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// An event that is not a function is called GROUP:NAME in a plan. A spec has GROUP where others
// have the module.

// inGroup returns the module and the names by which specs choose a plan of these names.
func inGroup(module string, names []string) (string, []string) {
	if group, name, ok := strings.Cut(names[len(names)-1], ":"); ok {
		return group, append(names, name)
	}
	return module, names
}

// forGroup returns wanted for what a plan is about, if that has a group.
func forGroup(wanted *spec.Spec, p *plan.Plan) *spec.Spec {
	if !strings.Contains(p.Spec.Func.Text, ":") {
		return wanted
	}
	one := wanted.For("", p.Spec.Func.Text)
	one.Module = spec.Name{}
	return one
}

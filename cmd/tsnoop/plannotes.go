package main

import (
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs"
)

// mostNames is how many functions are named that a glob leaves out for the same
// reason, but with --verbose.
const mostNames = 5

// notes says what to know of the plans before believing the output. Of a glob's
// many functions that is one line, and all with --verbose.
func (u *ui) notes(plans []*fetchargs.Plan) {
	for _, p := range plans {
		for _, detail := range p.Details {
			u.detail("%s: %s", p.Spec.Func.Text, detail)
		}
		for _, note := range p.Notes {
			if p.Glob == nil {
				u.warn("%s: %s", p.Spec.Func.Text, note)
			} else {
				u.detail("%s: %s", p.Spec.Func.Text, note)
			}
		}
	}
	if u.verbose {
		return
	}
	for _, g := range fetchargs.Globs(plans) {
		names := g.Names(plans, func(p *fetchargs.Plan) bool { return len(p.Notes) > 0 })
		if len(names) > 0 {
			u.warn("%s: some names stand for several functions, %s; -v says more", g.Spec.Func.Text, u.list(names))
		}
	}
}

// leftOut names once what globs match and what gets no probe.
func (u *ui) leftOut(plans []*fetchargs.Plan) {
	most := mostNames
	if u.verbose {
		most = 0
	}
	for _, g := range fetchargs.Globs(plans) {
		if text := g.Warning(most); text != "" {
			u.warn("%s", text)
		}
		if text := g.Unseen(); text != "" {
			u.warn("%s", text)
		}
	}
}

// partial says of which plans the kernel's filter decides too little.
func (u *ui) partial(plans []*fetchargs.Plan) {
	tell := func(name string) {
		u.warn("%s: the kernel's filter cannot decide all of the condition; --explain shows what is left", name)
	}
	for _, p := range plans {
		if p.Partial && p.Glob == nil {
			tell(p.Spec.Func.Text)
		}
	}
	for _, g := range fetchargs.Globs(plans) {
		if len(g.Names(plans, func(p *fetchargs.Plan) bool { return p.Partial })) > 0 {
			tell(g.Spec.Func.Text)
		}
	}
}

func (u *ui) list(names []string) string {
	if n := len(names) - mostNames; n > 1 && !u.verbose {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], ", "), n)
	}
	return strings.Join(names, ", ")
}

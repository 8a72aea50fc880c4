package fetchargs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// A Glob is a spec whose function is a pattern. It stands for every function
// that matches, as far as that can be probed and has what the items ask for.
type Glob struct {
	Spec    *spec.Spec
	Matches int       // functions
	Left    []LeftOut // those of them that get no probe
	Narrow  int       // system calls among them that are other functions for 32-bit programs
}

// A LeftOut is a function that a glob matches and that gets no probe.
type LeftOut struct {
	Func string
	Why  string      // "not traceable"
	Err  *spec.Error // nil if there is nothing wrong with the spec
}

// Globs are those that the plans come from, each once.
func Globs(plans []*Plan) []*Glob {
	var globs []*Glob
	for _, p := range plans {
		if p.Glob != nil && !slices.Contains(globs[max(0, len(globs)-1):], p.Glob) {
			globs = append(globs, p.Glob)
		}
	}
	return globs
}

// Undecided names the functions, and globs of functions, of whose conditions the kernel's
// filter cannot decide all.
func Undecided(plans []*Plan) []string {
	var names []string
	partial := func(p *Plan) bool { return p.Partial }
	for _, p := range plans {
		if p.Glob == nil && p.Partial {
			names = append(names, p.Spec.Func.Text)
		}
	}
	for _, g := range Globs(plans) {
		if len(g.Names(plans, partial)) > 0 {
			names = append(names, g.Spec.Func.Text)
		}
	}
	return names
}

// LeaveOut notes that a function gets no probe, and why.
func (g *Glob) LeaveOut(name string, e *spec.Error) {
	g.Left = append(g.Left, LeftOut{name, shortReason(name, e.Msg), e})
}

// Names are the functions of those of the plans that come from the glob and are so.
func (g *Glob) Names(plans []*Plan, so func(*Plan) bool) []string {
	var names []string
	for _, p := range plans {
		if p.Glob == g && so(p) {
			names = append(names, p.Spec.Func.Text)
		}
	}
	return names
}

// shortReason is an error's message without what differs from function to
// function, its name: many are alike then.
func shortReason(name, msg string) string {
	msg = strings.TrimPrefix(strings.TrimPrefix(msg, name+" "), "has ")
	msg = strings.Replace(msg, " of "+name+" ", " ", 1)
	if i := strings.Index(msg, ": "+name+"."); i >= 0 { // clones
		msg = msg[:i]
	}
	return msg
}

// reasons groups the functions by why they are left out, the most common
// reason first.
func (g *Glob) reasons() [][]LeftOut {
	var groups [][]LeftOut
	at := map[string]int{}
	for _, l := range g.Left {
		i, seen := at[l.Why]
		if !seen {
			i = len(groups)
			at[l.Why] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], l)
	}
	slices.SortStableFunc(groups, func(a, b []LeftOut) int { return len(b) - len(a) })
	return groups
}

// Warning names the functions that are left out, at most so many for each
// reason, or all of them if most is 0. It is "" if none is.
func (g *Glob) Warning(most int) string {
	if len(g.Left) == 0 {
		return ""
	}
	var parts []string
	for _, group := range g.reasons() {
		names := make([]string, len(group))
		for i, l := range group {
			names[i] = l.Func
		}
		list := strings.Join(names, ", ")
		if n := len(names) - most; most > 0 && n > 1 {
			list = fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n)
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", list, group[0].Why))
	}
	verb := "are"
	if len(g.Left) == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%s: %d of %d functions %s left out: %s", g.Spec.Func.Text, len(g.Left), g.Matches, verb, strings.Join(parts, "; "))
}

// Unseen says what else the user may have meant, "" if there is nothing.
func (g *Glob) Unseen() string {
	if g.Narrow == 0 {
		return ""
	}
	name := strings.TrimPrefix(g.Spec.Func.Text, "sys_")
	return fmt.Sprintf("%s: calls of 32-bit programs are not shown; those that come in by functions of their own, %d, are compat_sys_%s", g.Spec.Func.Text, g.Narrow, name)
}

// Empty is the error of a glob of whose functions all are left out. It shows
// the place that most of them failed at.
func (g *Glob) Empty() *spec.Error {
	s, groups := g.Spec, g.reasons()
	most := groups[0][0]
	e := &spec.Error{Text: s.Text, Span: s.Func.Span, Hint: "they are inlined, notrace, or only for the kernel's start"}
	if most.Err != nil {
		e.Span, e.Err, e.Hint = most.Err.Span, most.Err.Err, most.Err.Hint
		if slices.ContainsFunc(groups[0], func(l LeftOut) bool { return l.Err.Hint != e.Hint }) {
			e.Hint = "tsnoop list '" + s.Func.Text + "' shows their prototypes"
		}
	}
	if g.Matches == 1 {
		e.Msg = fmt.Sprintf("only %s matches %s, and is left out: %s", most.Func, s.Func.Text, most.Why)
		return e
	}
	e.Msg = fmt.Sprintf("all %d functions that match %s are left out: %s", g.Matches, s.Func.Text, most.Why)
	if len(groups) > 1 {
		e.Msg += fmt.Sprintf(" (%d of them)", len(groups[0]))
	}
	return e
}

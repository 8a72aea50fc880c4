package find

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// A Glob is a spec whose function is a pattern. It stands for every function that
// matches, can be probed, and has what the items ask for.
type Glob struct {
	Spec    *spec.Spec
	Matches int       // functions that match, with those left out
	Left    []LeftOut // the functions that get no probe
	Narrow  int       // matching system calls that are other functions for 32-bit programs
}

// A LeftOut is a function that matches a glob but gets no probe.
type LeftOut struct {
	Func string
	Why  string      // "not traceable"
	Err  *spec.Error // nil if the spec is not the reason
}

// LeaveOut records that a function gets no probe, and why.
func (g *Glob) LeaveOut(name string, e *spec.Error) {
	g.Left = append(g.Left, LeftOut{name, shortReason(name, e.Msg), e})
}

// shortReason returns the message of an error without the name of the function, so
// that many messages become equal.
func shortReason(name, msg string) string {
	msg = strings.TrimPrefix(strings.TrimPrefix(msg, name+" "), "has ")
	msg = strings.Replace(msg, " of "+name+" ", " ", 1)
	msg, _, _ = strings.Cut(msg, ": "+name+".") // clones
	return msg
}

// reasons groups the functions that are left out by reason, the most common reason first.
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
	sort.SliceStable(groups, func(i, j int) bool { return len(groups[i]) > len(groups[j]) })
	return groups
}

// Warning lists the functions that are left out, up to most for each reason, or all of
// them if most is 0. It returns "" if no function is left out.
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
		parts = append(parts, fmt.Sprintf("%s (%s)", plural.List(names, most), group[0].Why))
	}
	verb := "are"
	if len(g.Left) == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%s: %d of %d %s %s left out: %s", g.Spec.Named(), len(g.Left), g.Matches, g.kind(), verb, strings.Join(parts, "; "))
}

// kind returns what the glob matches: functions, or events of a system.
func (g *Glob) kind() string {
	if strings.Contains(g.Left[0].Func, ":") {
		return "events"
	}
	return "functions"
}

// Unseen says which other system calls the user may have meant; "" if there are none.
func (g *Glob) Unseen() string {
	if g.Narrow == 0 {
		return ""
	}
	name := strings.TrimPrefix(g.Spec.Func.Text, "sys_")
	return fmt.Sprintf("%s: calls of 32-bit programs are not shown; those that come in by functions of their own, %d, are compat_sys_%s", g.Spec.Func.Text, g.Narrow, name)
}

// Empty returns the error for a glob if all of its functions are left out. It points at
// the place where most of them failed.
func (g *Glob) Empty() *spec.Error {
	s, groups := g.Spec, g.reasons()
	most := groups[0][0]
	e := &spec.Error{Text: s.Text, Span: s.Func.Span, Hint: "trace functions that call them: these are inlined, notrace, or only for the kernel's start"}
	if most.Err != nil {
		e.Span, e.Err, e.Hint = most.Err.Span, most.Err.Err, most.Err.Hint
		if slices.ContainsFunc(groups[0], func(l LeftOut) bool { return l.Err.Hint != e.Hint }) {
			e.Hint = "look at their prototypes: tsnoop list '" + s.Named() + "'"
		}
	}
	if g.Matches == 1 {
		e.Msg = fmt.Sprintf("only %s matches %s, and is left out: %s", most.Func, s.Named(), most.Why)
		return e
	}
	e.Msg = fmt.Sprintf("all %d %s that match %s are left out: %s", g.Matches, g.kind(), s.Named(), most.Why)
	if len(groups) > 1 {
		e.Msg += fmt.Sprintf(" (%d of them)", len(groups[0]))
	}
	return e
}

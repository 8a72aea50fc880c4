// Package query applies specs to the plans of a recording. It finds values by the names that
// they have in the recording, and needs no kernel.
package query

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/measure"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Select applies specs to the plans of a recording. A plan then shows the values that a
// spec for its function asks for, of the calls for which the spec's conditions hold. A
// plan with several specs for its function is returned once for each of them, and a plan
// without any is left out. from holds the index in plans of each plan that is returned.
//
// A spec that was recorded, whatever its spaces, gets its own plans as they were recorded.
// Any other spec with a parameter list gets those of one recorded spec that has recorded
// every call, if there is one; else those of all that can show it, each call once.
//
// It is an error to ask for values that were not recorded; for a glob, functions without
// them are left out. If pair is set, a plan keeps both sides that it has, as [Target]
// says. measures are added to each plan. The error is a [spec.Errors].
func Select(specs []*spec.Spec, plans []*plan.Plan, pair bool, measures []*measure.Measure) (selected []*plan.Plan, from []int, err error) {
	var errs spec.Errors
	for _, wanted := range specs {
		var found []*plan.Plan
		var at []int
		var wrong spec.Errors
		for ; wanted != nil; wanted = wanted.Else {
			var why spec.Errors
			if found, at, why = selectOne(wanted, plans, pair, measures); len(why) == 0 {
				wrong = nil
				break
			}
			wrong = append(wrong, why...)
		}
		selected, from, errs = append(selected, found...), append(from, at...), append(errs, wrong...)
	}
	if len(errs) > 0 {
		return nil, nil, errs
	}
	for i, p := range plans {
		if p.Renames != "" || slices.ContainsFunc(selected, p.StartsClockOf) {
			selected, from = append(selected, p), append(from, i)
		}
	}
	return selected, from, nil
}

// selectOne is Select for one spec without its alternatives.
func selectOne(wanted *spec.Spec, plans []*plan.Plan, pair bool, measures []*measure.Measure) (selected []*plan.Plan, from []int, errs spec.Errors) {
	glob := &find.Glob{Spec: wanted}
	of := map[btf.FuncName][]*candidate{}
	var functions []btf.FuncName
	for i, p := range plans {
		if p.IsOwn() || !isAbout(p, wanted) {
			continue
		}
		name := funcName(p)
		if of[name] == nil {
			functions = append(functions, name)
		}
		of[name] = append(of[name], newCandidate(wanted, p, i, pair, measures))
	}
	glob.Matches = len(functions)
	for _, name := range functions {
		chosen, why := choose(wanted, of[name])
		switch {
		case len(why) == 0:
		case spec.IsGlob(wanted.Func.Text) || isNarrowOfAny(of[name][0].recorded, selected):
			glob.LeaveOut(name.Name, why[0])
		case len(errs) == 0: // the next function of this name would have the same errors
			errs = why
		}
		for _, c := range chosen {
			selected, from = append(selected, c.plan), append(from, c.from)
		}
	}
	if spec.IsGlob(wanted.Func.Text) || len(glob.Left) > 0 {
		for _, p := range selected {
			p.Glob = glob
		}
	}
	if glob.Matches == 0 {
		errs = append(errs, notRecorded(wanted, plans))
	} else if len(glob.Left) == glob.Matches {
		errs = append(errs, glob.Empty())
	}
	return selected, from, errs
}

// isNarrowOfAny reports whether p is for 32-bit programs that call it instead of one of the
// native plans: as in a live trace, it may lack what these have.
func isNarrowOfAny(p *plan.Plan, native []*plan.Plan) bool {
	return slices.ContainsFunc(native, func(n *plan.Plan) bool { return p.Func != nil && n.Func != nil && p.NarrowOf(n) })
}

func isAbout(p *plan.Plan, wanted *spec.Spec) bool {
	module, names := p.Spec.Module.Text, []string{p.Spec.Func.Text}
	if p.Func != nil {
		module, names = p.Func.Module, append(names, p.Func.Name)
	}
	module, names = inGroup(module, names)
	if name, short := syscalls.NamesOf(names[len(names)-1]); name != "" {
		names = append(names, name, short)
		if native := syscalls.Native(short); native != "" && name != names[len(names)-3] {
			names = append(names, native, "sys_"+native)
		}
		if wanted.Module.Text == syscalls.Module {
			module = syscalls.Module
		}
	}
	match, err := btf.Glob(wanted.Func.Text)
	return err == nil && (wanted.Module.Text == "" || wanted.Module.Text == module) && slices.ContainsFunc(names, match)
}

func notRecorded(wanted *spec.Spec, plans []*plan.Plan) *spec.Error {
	var names []string
	for _, p := range plans {
		if !p.IsOwn() {
			names = append(names, p.Spec.Func.Text)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	hint := spec.DidYouMean(btf.Suggest(wanted.Func.Text, slices.Values(names)), "")
	if hint == "" {
		hint = "choose from what was recorded: " + strings.Join(names[:min(20, len(names))], ", ")
	}
	return wanted.Errorf(hint, "%s was not recorded", wanted.Func.Text)
}

// A selection shows the values of a recorded plan that a spec asks for. It finds values
// by the names that they have in the recording, and does not need the kernel.
type selection struct {
	spec.Collector
	spec  *spec.Spec
	plan  *plan.Plan    // as it was recorded
	own   bool          // it was recorded for this very spec
	sides []cond.Values // one for each of its probes
}

func newSelection(wanted *spec.Spec, p *plan.Plan) *selection {
	s := &selection{Collector: spec.Collector{Text: wanted.Text}, spec: wanted, plan: p}
	if spec.IsGlob(wanted.Func.Text) {
		module := ""
		if p.Func != nil {
			module = p.Func.Module
		}
		s.spec = wanted.For(module, p.Spec.Func.Text)
	}
	s.spec, s.own = forGroup(s.spec, p), isSpec(p, forGroup(s.spec, p))
	for _, probe := range p.Probes {
		s.sides = append(s.sides, recordedSide(probe))
	}
	return s
}

// recordedSide returns the fields of a recorded probe, all of them hidden.
func recordedSide(p *plan.Probe) cond.Values {
	s := cond.Values{At: p.Side, Part: p.Part}
	for _, f := range p.Fields {
		expr := cmp.Or(f.Expr, f.Label)
		if f.IsRest() {
			expr = ""
		}
		s.Exprs = append(s.Exprs, expr)
		f.Hidden = true
		s.Fields = append(s.Fields, f)
	}
	return s
}

// selected returns the plan with the values that the spec asks for; nil if one was not
// recorded. If pair is set, it keeps both sides.
func (s *selection) selected(pair bool, measures []*measure.Measure) *plan.Plan {
	var all []*cond.Test
	if s.own || !s.spec.Parens {
		for i, p := range s.plan.Probes {
			showAll(&s.sides[i], p)
		}
	} else {
		s.choose()
	}
	if !s.own { // else they have decided what was recorded
		all = cond.Tests(&s.Collector, s, s.spec)
	}
	if s.plan.Check != nil {
		all = append(all, s.plan.Check)
	}
	measured := measure.All(&s.Collector, measures, s)
	if len(s.Errs) > 0 {
		return nil
	}
	out := *s.plan
	out.Spec, out.Measures = s.spec, measured
	if len(all) > 0 {
		out.Check = cond.Join(true, all...)
	}
	s.keepSides(&out, pair)
	return &out
}

// keepSides drops the side that nothing asks for, unless pair is set, or conditions on
// that side have already decided which calls were recorded.
func (s *selection) keepSides(out *plan.Plan, pair bool) {
	filtered := func(p *plan.Probe) bool { return p.Filter != "" }
	all := pair || s.plan.Check != nil || len(s.plan.Clocks) > 0 || !s.plan.Paired() || slices.ContainsFunc(s.plan.Probes, filtered)
	entry, exit := s.uses(dynevent.Entry), s.uses(dynevent.Return)
	out.Probes = nil
	for i, p := range s.plan.Probes {
		if all || p.Side == dynevent.Entry && (entry || !exit) || p.Side == dynevent.Return && exit {
			out.Probes = append(out.Probes, withValues(&s.sides[i], p, out))
		}
	}
}

// uses reports whether something asks for a side.
func (s *selection) uses(at dynevent.Side) bool {
	return slices.ContainsFunc(s.sides, func(s cond.Values) bool { return s.At == at && s.Used })
}

// withValues returns the recorded probe p with the fields of s.
func withValues(s *cond.Values, p *plan.Probe, plan *plan.Plan) *plan.Probe {
	own := *p
	own.Plan, own.Fields = plan, s.Fields
	return &own
}

// showAll shows a side as it was recorded.
func showAll(s *cond.Values, p *plan.Probe) {
	s.Used = true
	for i := range s.Fields {
		s.Fields[i].Hidden = p.Fields[i].Hidden
	}
}

// choose shows the values of the parameter list. It appends them after the recorded
// fields, because conditions refer to those by index.
func (s *selection) choose() {
	for _, item := range s.spec.Items {
		for _, w := range cond.Shown(&s.Collector, s, item) {
			label := cmp.Or(w.Name, spec.CalledName(w.X))
			w = s.meant(w)
			at, ok := s.find(w)
			if !ok {
				continue
			}
			f := *at.Field()
			f.Hidden, f.Label, f.Expr = false, label, w.X.String()
			if s.reformat(&f, w) {
				at.Values.Fields = append(at.Values.Fields, f)
			}
		}
	}
}

// meant returns w, the value called x. If x is not a recorded value, but the name of an
// item of the spec, it returns the expression of that item.
func (s *selection) meant(w cond.Want) cond.Want {
	x, ok := w.X.(*spec.Ident)
	if !ok || slices.Contains(s.Values(), x.Text) {
		return w
	}
	for _, item := range s.spec.Items {
		if item.Expr != nil && item.Name.Text == x.Text {
			if w.X = item.Expr; w.Format.Text == "" {
				w.Format = item.Format
			}
			return w
		}
	}
	return w
}

// reformat gives a recorded field the format of w. An entry with a type has been recorded
// with that.
func (s *selection) reformat(f *value.Field, w cond.Want) bool {
	if _, typed := w.X.(*spec.Typed); typed && w.Format.Text == "" || reformatted(f, w.Format.Text) {
		return true
	}
	s.Fail(w.Format.Span, "leave it out, or record it with this FORMAT", "%s was not recorded as %s", w.X, w.Format.Text)
	return false
}

// Fetch finds a value of a condition among the recorded values. If the condition needs it
// in another format, fetch adds a hidden field.
func (s *selection) Fetch(w cond.Want) (cond.Ref, bool) {
	w = s.meant(w)
	at, ok := s.find(w)
	if !ok {
		return at, false
	}
	f := *at.Field()
	f.Hidden = true
	switch n := len(f.PointerChecks) - 1; {
	case w.Pointer && f.Encoding == value.String && f.Count == 0 && n >= 0: // the last pointer leads to the text
		f.Encoding, f.Size, f.Format, f.Arg, f.PointerChecks = value.Integer, 8, "", f.PointerChecks[n].Arg, f.PointerChecks[:n:n]
	case w.Format.Text == f.Format:
		return at, true
	case !s.reformat(&f, w):
		return at, false
	}
	at.Values.Fields = append(at.Values.Fields, f)
	return at.Values.Ref(len(at.Values.Fields) - 1), true
}

// Values returns the names of the recorded values.
func (s *selection) Values() (words []string) {
	for i := range s.sides {
		words = append(words, s.sides[i].Exprs...)
	}
	return words
}

// Enumerator returns a constant of the value's own enum, which is in the recording.
func (s *selection) Enumerator(t btf.Type, name string) (int64, error) {
	return btf.Open().Enumerator(t, name)
}

// SimilarConstants returns none: a recording has only its values' own enums.
func (s *selection) SimilarConstants(name string) []string { return nil }

// Address never finds one: the address is of another boot, or even of another host.
func (s *selection) Address(spec.Expr) (addr uint64, is, ok bool) { return 0, false, false }

// Decoded returns w unchanged: a recording cannot be extended.
func (s *selection) Decoded(w cond.Want) cond.Want { return w }

// WithMeasures returns plans of a recording with the measures added. A single plan
// may lack the value of a measure. If all of them lack it, the error, a
// [spec.Errors], says so.
func WithMeasures(plans []*plan.Plan, measures []*measure.Measure) ([]*plan.Plan, error) {
	if len(measures) == 0 {
		return plans, nil
	}
	found := make([]bool, len(measures))
	var all []*plan.Plan
	var errs spec.Errors
	var names []string
	for _, p := range plans {
		if p.IsOwn() {
			all = append(all, p)
			continue
		}
		s := newSelection(p.Spec, p)
		out, wrong := s.measured(measures)
		for i := range measures {
			found[i] = found[i] || out.Measures[i].Known
		}
		all, errs, names = append(all, out), append(errs, wrong...), append(names, s.Values()...)
	}
	for i, ok := range found {
		m := measures[i]
		is := func(e *spec.Error) bool { return e.Text == m.Text }
		if ok {
			errs = slices.DeleteFunc(errs, is)
		} else if !slices.ContainsFunc(errs, is) {
			suggestions := btf.Suggest(spec.CalledName(m.Item.Expr), slices.Values(names))
			errs = append(errs, &spec.Error{Text: m.Text, Span: m.Item.Expr.Where(), Msg: "this was not recorded of any function", Hint: spec.DidYouMean(suggestions, "")})
		}
	}
	if len(errs) > 0 {
		return nil, errs.Unique()
	}
	return all, nil
}

// measured returns the recorded plan with the measures. wrong has only errors about
// values that were recorded.
func (s *selection) measured(measures []*measure.Measure) (_ *plan.Plan, wrong spec.Errors) {
	recorded := s.Values()
	out := *s.plan
	out.Probes = nil
	for i, probe := range s.plan.Probes {
		showAll(&s.sides[i], probe)
	}
	out.Measures = measure.All(&s.Collector, measures, s)
	for i, probe := range s.plan.Probes {
		out.Probes = append(out.Probes, withValues(&s.sides[i], probe, &out))
	}
	return &out, slices.DeleteFunc(s.Errs, func(e *spec.Error) bool {
		return !slices.ContainsFunc(measures, func(m *measure.Measure) bool {
			return m.Text == e.Text && slices.Contains(recorded, spec.CalledName(m.Item.Expr))
		})
	})
}

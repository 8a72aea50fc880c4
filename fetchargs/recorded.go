package fetchargs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
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
func Select(specs []*spec.Spec, plans []*Plan, pair bool, measures []*Measure) (selected []*Plan, from []int, err error) {
	var errs spec.Errors
	for _, wanted := range specs {
		var found []*Plan
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
		if p.Renames != "" {
			selected, from = append(selected, p), append(from, i)
		}
	}
	return selected, from, nil
}

// selectOne is Select for one spec without its alternatives.
func selectOne(wanted *spec.Spec, plans []*Plan, pair bool, measures []*Measure) (selected []*Plan, from []int, errs spec.Errors) {
	glob := &Glob{Spec: wanted}
	of := map[btf.FuncName][]*candidate{}
	var functions []btf.FuncName
	for i, p := range plans {
		if p.Renames != "" || !p.isAbout(wanted) {
			continue
		}
		name := p.funcName()
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
func isNarrowOfAny(p *Plan, native []*Plan) bool {
	return slices.ContainsFunc(native, func(n *Plan) bool { return p.Func != nil && n.Func != nil && p.narrowOf(n) })
}

func (p *Plan) isAbout(wanted *spec.Spec) bool {
	module, names := p.Spec.Module.Text, []string{p.Spec.Func.Text}
	if p.Func != nil {
		module, names = p.Func.Module, append(names, p.Func.Name)
	}
	if name, short := syscallName(names[len(names)-1]); name != "" {
		names = append(names, name, short)
		if native := nativeCall(short); native != "" && name != names[len(names)-3] {
			names = append(names, native, "sys_"+native)
		}
		if wanted.Module.Text == syscallModule {
			module = syscallModule
		}
	}
	match, err := btf.Glob(wanted.Func.Text)
	return err == nil && (wanted.Module.Text == "" || wanted.Module.Text == module) && slices.ContainsFunc(names, match)
}

func notRecorded(wanted *spec.Spec, plans []*Plan) *spec.Error {
	var names []string
	for _, p := range plans {
		if p.Renames == "" {
			names = append(names, p.Spec.Func.Text)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	hint := spec.DidYouMean(btf.Near(wanted.Func.Text, slices.Values(names)), "")
	if hint == "" {
		hint = "recorded were: " + strings.Join(names[:min(20, len(names))], ", ")
	}
	return &spec.Error{Text: wanted.Text, Span: wanted.Func.Span, Msg: fmt.Sprintf("%s was not recorded", wanted.Func.Text), Hint: hint}
}

// A selection shows the values of a recorded plan that a spec asks for. It finds values
// by the names that they have in the recording, and does not need the kernel.
type selection struct {
	spec.Collector
	spec  *spec.Spec
	plan  *Plan  // as it was recorded
	own   bool   // it was recorded for this very spec
	sides []side // one for each of its probes
}

func newSelection(wanted *spec.Spec, p *Plan) *selection {
	s := &selection{Collector: spec.Collector{Text: wanted.Text}, spec: wanted, plan: p}
	if spec.IsGlob(wanted.Func.Text) {
		one := btf.FuncName{Name: p.Spec.Func.Text}
		if p.Func != nil {
			one.Module = p.Func.Module
		}
		s.spec = specOf(wanted, one)
	}
	s.own = p.isSpec(s.spec)
	for _, probe := range p.Probes {
		s.sides = append(s.sides, recordedSide(probe))
	}
	return s
}

// recordedSide returns the fields of a recorded probe, all of them hidden.
func recordedSide(p *Probe) side {
	s := side{at: p.Side, part: p.Part}
	for _, f := range p.Fields {
		expr := cmp.Or(f.Expr, f.Label)
		if f.IsRest() {
			expr = ""
		}
		s.exprs = append(s.exprs, expr)
		f.Hidden = true
		s.fields = append(s.fields, f)
	}
	return s
}

// selected returns the plan with the values that the spec asks for; nil if one was not
// recorded. If pair is set, it keeps both sides.
func (s *selection) selected(pair bool, measures []*Measure) *Plan {
	var all []*test
	if s.own || !s.spec.Parens {
		for i, p := range s.plan.Probes {
			s.sides[i].all(p)
		}
	} else {
		s.choose()
	}
	if !s.own { // else they have decided what was recorded
		all = (&comparer{&s.Collector, s}).tests(s.spec)
	}
	if s.plan.check != nil {
		all = append(all, s.plan.check)
	}
	measured := measureAll(&s.Collector, measures, s)
	if len(s.Errs) > 0 {
		return nil
	}
	out := *s.plan
	out.Spec, out.Measures = s.spec, measured
	if len(all) > 0 {
		out.check = join(true, all...)
	}
	s.keepSides(&out, pair)
	return &out
}

// keepSides drops the side that nothing asks for, unless pair is set, or conditions on
// that side have already decided which calls were recorded.
func (s *selection) keepSides(out *Plan, pair bool) {
	filtered := func(p *Probe) bool { return p.Filter != "" }
	all := pair || s.plan.check != nil || len(s.plan.clocks) > 0 || !s.plan.Paired() || slices.ContainsFunc(s.plan.Probes, filtered)
	entry, exit := s.uses(dynevent.Entry), s.uses(dynevent.Return)
	out.Probes = nil
	for i, p := range s.plan.Probes {
		if all || p.Side == dynevent.Entry && (entry || !exit) || p.Side == dynevent.Return && exit {
			out.Probes = append(out.Probes, s.sides[i].of(p, out))
		}
	}
}

// uses reports whether something asks for a side.
func (s *selection) uses(at dynevent.Side) bool {
	return slices.ContainsFunc(s.sides, func(s side) bool { return s.at == at && s.used })
}

// of returns the recorded probe p with the fields of s.
func (s *side) of(p *Probe, plan *Plan) *Probe {
	own := *p
	own.Plan, own.Fields = plan, s.fields
	return &own
}

// all shows a side as it was recorded.
func (s *side) all(p *Probe) {
	s.used = true
	for i := range s.fields {
		s.fields[i].Hidden = p.Fields[i].Hidden
	}
}

// choose shows the values of the parameter list. It appends them after the recorded
// fields, because conditions refer to those by index.
func (s *selection) choose() {
	for _, item := range s.spec.Items {
		for _, w := range wants(item) {
			if is, _ := s.elapsed(w.x); is {
				plainDuration(&s.Collector, item)
				continue
			}
			label := cmp.Or(w.name, spec.CalledName(w.x))
			w = s.meant(w)
			at, ok := s.find(w)
			if !ok {
				continue
			}
			f := *at.field()
			f.Hidden, f.Label, f.Expr = false, label, w.x.String()
			if s.reformat(&f, w) {
				at.side.fields = append(at.side.fields, f)
			}
		}
	}
}

// meant returns w, the value called x. If x is no recorded value, but the name of an item
// of the spec, it returns the expression of that item.
func (s *selection) meant(w want) want {
	x, ok := w.x.(*spec.Ident)
	if !ok || slices.Contains(s.values(), x.Text) {
		return w
	}
	for _, item := range s.spec.Items {
		if item.Expr != nil && item.Name.Text == x.Text {
			if w.x = item.Expr; w.format.Text == "" {
				w.format = item.Format
			}
			return w
		}
	}
	return w
}

// reformat gives a recorded field the format of w. An entry with a type has been recorded
// with that.
func (s *selection) reformat(f *value.Field, w want) bool {
	if _, typed := w.x.(*spec.Typed); typed && w.format.Text == "" || reformatted(f, w.format.Text) {
		return true
	}
	s.Fail(w.format.Span, "leave it out, or record it so", "%s was not recorded as %s", w.x, w.format.Text)
	return false
}

// fetch finds a value of a condition among the recorded values. If the condition needs it
// in another format, fetch adds a hidden field.
func (s *selection) fetch(w want) (ref, bool) {
	w = s.meant(w)
	at, ok := s.find(w)
	if !ok {
		return at, false
	}
	f := *at.field()
	f.Hidden = true
	switch n := len(f.Guards) - 1; {
	case w.pointer && f.Encoding == value.String && f.Count == 0 && n >= 0: // the last pointer leads to the text
		f.Encoding, f.Size, f.Format, f.Arg, f.Guards = value.Integer, 8, "", f.Guards[n].Arg, f.Guards[:n:n]
	case w.format.Text == f.Format:
		return at, true
	case !s.reformat(&f, w):
		return at, false
	}
	at.side.fields = append(at.side.fields, f)
	return ref{at.side, len(at.side.fields) - 1}, true
}

// values returns the names of the recorded values.
func (s *selection) values() (words []string) {
	for i := range s.sides {
		words = append(words, s.sides[i].exprs...)
	}
	return words
}

// enumerator returns a constant of the value's own enum, which is in the recording.
func (s *selection) enumerator(t btf.Type, name string) (int64, error) {
	return btf.Open().Enumerator(t, name)
}

// address never finds one: the address is of another boot, or even of another machine.
func (s *selection) address(spec.Expr) (addr uint64, is, ok bool) { return 0, false, false }

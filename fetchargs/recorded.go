package fetchargs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Select applies specs to plans of a recording: of a plan, those values are
// shown that a spec of the plan's function asks for, if the spec's conditions
// hold. A plan that several specs are about comes once for each of them, one
// that none is about not at all; from is the index in plans of each of the
// result. What was not recorded cannot be asked for: that is in the error, an
// Errors. Of what a glob matches, only those are left out that have it not. With
// pair a plan keeps both sides that it has, as [Target] says.
func Select(specs []*spec.Spec, plans []*Plan, pair bool) (selected []*Plan, from []int, err error) {
	var errs spec.Errors
	for _, wanted := range specs {
		glob := &Glob{Spec: wanted}
		for i, p := range plans {
			if p.Renames != "" || !p.isAbout(wanted) {
				continue
			}
			glob.Matches++
			s := newSelection(wanted, p)
			s.target.Pair = pair
			out := s.selected()
			s.errs = s.errs.Unique()
			switch {
			case len(s.errs) == 0:
				selected, from = append(selected, out), append(from, i)
			case spec.IsGlob(wanted.Func.Text):
				glob.LeaveOut(p.Spec.Func.Text, s.errs[0])
			case glob.Matches == 1: // the next one of this name would complain of the same
				errs = append(errs, s.errs...)
			}
			if out != nil && spec.IsGlob(wanted.Func.Text) {
				out.Glob = glob
			}
		}
		if glob.Matches == 0 {
			errs = append(errs, notRecorded(wanted, plans))
		} else if len(glob.Left) == glob.Matches {
			errs = append(errs, glob.Empty())
		}
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

func (p *Plan) isAbout(wanted *spec.Spec) bool {
	module, names := p.Spec.Module.Text, []string{p.Spec.Func.Text}
	if p.Func != nil {
		module, names = p.Func.Module, append(names, p.Func.Name)
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
	hint := didYouMean(btf.Near(wanted.Func.Text, slices.Values(names)), "")
	if hint == "" {
		hint = "recorded were: " + strings.Join(names[:min(20, len(names))], ", ")
	}
	return &spec.Error{Text: wanted.Text, Span: wanted.Func.Span, Msg: fmt.Sprintf("%s was not recorded", wanted.Func.Text), Hint: hint}
}

// newSelection is a resolver whose values are those of a recorded plan.
func newSelection(wanted *spec.Spec, p *Plan) *resolver {
	r := &resolver{target: &Target{Arch: p.Arch, Kernel: btf.Open()}, spec: wanted, recorded: true, fn: p.Func}
	if r.fn == nil {
		r.fn = &btf.Func{}
	}
	if spec.IsGlob(wanted.Func.Text) {
		r.spec = specOf(wanted, btf.FuncName{Module: r.fn.Module, Name: p.Spec.Func.Text})
	}
	out := *p
	out.Spec = r.spec
	r.out = &out
	r.entry, r.exit = r.recordedSide(p.Entry), r.recordedSide(p.Return)
	r.entry.probe.Return, r.exit.probe.Return = false, true
	return r
}

// recordedSide has the fields of a recorded probe, none of them to be shown.
func (r *resolver) recordedSide(p *Probe) *builder {
	if p == nil {
		return &builder{r: r, probe: &Probe{}}
	}
	probe := *p
	probe.Plan = r.out
	b := &builder{r: r, probe: &probe}
	for _, f := range p.Fields {
		b.exprs = append(b.exprs, f.Label)
		f.Hidden = true
		b.fields = append(b.fields, f)
	}
	return b
}

// selected shows what the spec asks for, of the recorded values.
func (r *resolver) selected() *Plan {
	recorded := *r.out
	if r.spec.Parens {
		r.choose()
	} else {
		r.all(r.entry, recorded.Entry)
		r.all(r.exit, recorded.Return)
	}
	all := &test{}
	for _, item := range r.spec.Items {
		if item.Cond != nil {
			all.and = append(all.and, r.test(item.Cond, false, item))
		}
	}
	if r.spec.If != nil {
		all.and = append(all.and, r.test(r.spec.If, false, nil))
	}
	if recorded.check != nil {
		all.and = append(all.and, recorded.check)
	}
	if len(r.errs) > 0 {
		return nil
	}
	if len(all.and) > 0 {
		r.out.check = flatten(all)
	}
	r.keepSides(&recorded)
	return r.out
}

// keepSides drops the side that nothing asks for, unless both are wanted or
// conditions on it have decided already which calls are in the recording.
func (r *resolver) keepSides(recorded *Plan) {
	held := r.target.Pair || recorded.check != nil
	for _, p := range []*Probe{recorded.Entry, recorded.Return} {
		held = held || p != nil && p.Filter != ""
	}
	r.out.Entry, r.out.Return = nil, nil
	if recorded.Entry != nil && (held || r.entry.used || !r.exit.used || recorded.Return == nil) {
		r.entry.probe.Fields = r.entry.fields
		r.out.Entry = r.entry.probe
	}
	if recorded.Return != nil && (held || r.exit.used || recorded.Entry == nil) {
		r.exit.probe.Fields = r.exit.fields
		r.out.Return = r.exit.probe
	}
}

// all shows a side as it was recorded.
func (r *resolver) all(b *builder, p *Probe) {
	if p == nil {
		return
	}
	b.used = true
	for i := range b.fields {
		b.fields[i].Hidden = p.Fields[i].Hidden
	}
}

// choose shows the values of the parameter list. They come behind all that was
// recorded, of which conditions know the numbers.
func (r *resolver) choose() {
	for _, item := range r.spec.Items {
		wants := []want{{x: item.Expr}}
		if item.Expr == nil {
			wants = operands(item.Cond)
		}
		for _, w := range wants {
			if item.Format.Text != "" {
				w.format = item.Format
			}
			at, ok := r.recordedField(w.x)
			if !ok {
				continue
			}
			f := *at.field()
			f.Hidden = false
			if item.Name.Text != "" {
				f.Label = item.Name.Text
			}
			if r.reformat(&f, w) {
				at.side.fields = append(at.side.fields, f)
			}
		}
	}
}

// reformat gives a recorded field the format that is wanted, if there is one.
func (r *resolver) reformat(f *value.Field, w want) bool {
	if w.format.Text == "" || reformatted(f, w.format.Text) {
		return true
	}
	r.fail(w.format.Span, "leave it out, or record it so", "%s was not recorded as %s", w.x, w.format.Text)
	return false
}

// recordedOperand finds what a condition needs among the recorded values. What it
// asks for in another format is one more of them, not shown.
func (r *resolver) recordedOperand(w want) (ref, bool) {
	at, ok := r.recordedField(w.x)
	if !ok {
		return at, false
	}
	f := *at.field()
	f.Hidden = true
	switch n := len(f.Guards) - 1; {
	case w.pointer && f.Encoding == value.String && f.Count == 0 && n >= 0: // the last pointer leads to the text
		f.Encoding, f.Size, f.Format, f.Arg, f.Guards = value.Integer, 8, "", f.Guards[n].Arg, f.Guards[:n:n]
	case w.format.Text == "" || w.format.Text == f.Format:
		return at, true
	case !r.reformat(&f, w):
		return at, false
	}
	at.side.fields = append(at.side.fields, f)
	return ref{at.side, len(at.side.fields) - 1}, true
}

// reformatted gives a recorded field another format, if its bytes allow that.
func reformatted(f *value.Field, name string) bool {
	to := value.FormatNamed(name)
	switch {
	case to == nil:
		return false
	case f.Format == to.Name:
		return true
	case f.Encoding == value.Integer || f.Encoding == value.BitField:
		if to.Shape != value.AnyNumber && (to.Shape != value.FixedWidth || to.Size != f.Size || f.Encoding == value.BitField) {
			return false
		}
		f.Signed, f.BigEndian = to.Signed, to.Big
	case f.Encoding == value.Array && f.Size == 1:
		if to.Shape != value.RawMemory && (to.Shape != value.ByteArray || to.Size != f.Count) {
			return false
		}
	default:
		return false
	}
	f.Format = to.Name
	return true
}

// recordedField finds x among the recorded values. The user may have named it.
func (r *resolver) recordedField(x spec.Expr) (ref, bool) {
	label := x.String()
	for _, side := range []*builder{r.entry, r.exit} {
		if i := slices.Index(side.exprs, label); i >= 0 {
			side.used = true
			return ref{side, i}, true
		}
	}
	var names []string
	for _, name := range append(slices.Clone(r.entry.exprs), r.exit.exprs...) {
		if name != "" {
			names = append(names, name)
		}
	}
	near := btf.Near(label, slices.Values(names))
	r.fail(x.Where(), didYouMean(near, "recorded were: "+strings.Join(names, ", ")), "%s of %s was not recorded", label, r.spec.Func.Text)
	return ref{}, false
}

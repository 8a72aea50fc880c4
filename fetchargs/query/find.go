package query

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// reformatted gives a recorded field another format and reports whether its bytes allow
// that. Without a name the C type decides, if the field is a number; anything else keeps
// the format that it has.
func reformatted(f *value.Field, name string) bool {
	number := f.Encoding == value.Integer || f.Encoding == value.BitField
	if name == "" {
		if number && f.Format != "" && f.Type != nil {
			f.Format, f.Signed, f.BigEndian = "", btf.Signed(f.Type), btf.IsBigEndian(f.Type)
		}
		return true
	}
	name, count := spec.SplitFormat(name)
	to := value.FormatNamed(name)
	switch {
	case to == nil:
		return false
	case count > 0:
		return f.Format == to.Name && f.Count == count
	case f.Format == to.Name:
		return true
	case number && showsNumber(to, f):
		f.Signed, f.BigEndian = to.Signed, to.Big
	case number || !showsBytes(to, f):
		return false
	}
	f.Format = to.Name
	return true
}

// showsNumber reports whether a FORMAT shows the number that was recorded for f.
func showsNumber(to *value.Format, f *value.Field) bool {
	return to.Shape == value.AnyNumber || to.Shape == value.FixedWidth && to.Size == f.Size && f.Encoding != value.BitField
}

// showsBytes reports whether a FORMAT shows the bytes that were recorded for f.
func showsBytes(to *value.Format, f *value.Field) bool {
	return f.Encoding == value.Array && f.Size == 1 &&
		(to.Shape == value.RawMemory || to.Shape == value.ByteArray && to.Size == f.Count)
}

// find finds a value among the recorded ones by its expression and, if several have that
// one, by its format. Where none has the expression, it may be the name that the user gave
// to one, or have a type before it.
func (s *selection) find(w cond.Want) (cond.Ref, bool) {
	found := s.among(func(expr string, _ *value.Field) bool { return expr == w.X.String() })
	if len(found) == 0 {
		found = s.among(func(expr string, f *value.Field) bool {
			return f.Alias && f.Label == w.X.String() || isTyped(w.X, expr, f)
		})
	}
	if len(found) == 0 {
		s.notFound(w.X)
		return cond.Ref{}, false
	}
	best := slices.MaxFunc(found, func(a, b cond.Ref) int { return cmp.Compare(fit(a.Field(), w), fit(b.Field(), w)) })
	best.Values.Used = true
	return best, true
}

// among returns the recorded values that are wanted. expr is the expression of one.
func (s *selection) among(wanted func(expr string, f *value.Field) bool) (found []cond.Ref) {
	for n := range s.sides {
		side := &s.sides[n]
		for i, expr := range side.Exprs {
			if expr != "" && wanted(expr, &side.Fields[i]) {
				found = append(found, side.Ref(i))
			}
		}
	}
	return found
}

// isTyped reports whether x is an entry of a function based event that gives the recorded
// number f, the value of expr, the type that it has.
func isTyped(x spec.Expr, expr string, f *value.Field) bool {
	e, ok := x.(*spec.Typed)
	if !ok || e.X == nil || spec.IsPlace(e) || e.X.String() != expr || f.Encoding != value.Integer || f.Type == nil {
		return false
	}
	return btf.Name(f.Type) == e.Type.Text
}

// fit grades how well the format of a recorded field is that of w: 2 if it is the same, 1
// if it can be had, else 0.
func fit(f *value.Field, w cond.Want) int {
	changed := *f
	switch {
	case w.Format.Text == f.Format:
		return 2
	case reformatted(&changed, w.Format.Text):
		return 1
	}
	return 0
}

func (s *selection) notFound(x spec.Expr) {
	text, names := x.String(), s.called()
	suggestions := btf.Suggest(text, slices.Values(names))
	s.Fail(x.Where(), spec.DidYouMean(suggestions, "choose from what was recorded: "+strings.Join(names, ", ")), "%s of %s was not recorded", text, s.spec.Func.Text)
}

// called returns what the lines of a recording call its values, each once: the name that
// the user gave to one, else its expression.
func (s *selection) called() (names []string) {
	for _, side := range s.sides {
		for i, name := range side.Exprs {
			if name != "" && side.Fields[i].Alias {
				name = side.Fields[i].Label
			}
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Elapsed reports whether x is the duration of the recorded calls.
func (s *selection) Elapsed(x spec.Expr) (is, ok bool) {
	if !spec.IsDuration(x) || slices.Contains(s.Values(), x.String()) {
		return false, false
	}
	if !s.plan.Paired() {
		s.Fail(x.Where(), "record it with both: "+s.spec.Func.Text+"(..., return)", "only one end of the calls of %s was recorded: they have no duration", s.spec.Func.Text)
		return true, false
	}
	for i := range s.sides {
		s.sides[i].Used = true
	}
	return true, true
}

func (s *selection) Macros() *constants.Table { return s.plan.Macros }

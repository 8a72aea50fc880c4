package probes

import (
	"cmp"
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/line"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/readcheck"
	"github.com/tsnoop/tsnoop/fetchargs/route"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Side collects the fields of one probe and their fetchargs. A fetcharg that is needed twice
// is added once.
type Side struct {
	cond.Values
	*Builder
	probe      *plan.Probe
	line       *line.Line
	filters    []string        // must all hold
	known      map[string]bool // the filters that check pointers
	counter    *readcheck.Counter
	readChecks *readcheck.Builder
	proven     []proven
	dumps      []dump
}

// side returns a side, which stays empty if the source has no such side. counter is nil if the
// kernel has no counter, or none for the side.
func (b *Builder) side(symbols []string, side dynevent.Side, counter *readcheck.Counter) *Side {
	kind, _ := b.fn.Way.Probe(side)
	l := line.New(kind, b.enc, b.fn.Target.Nonce, b.errs)
	return &Side{
		Values:     cond.Values{At: side},
		Builder:    b,
		probe:      &plan.Probe{Plan: b.out, Kind: kind, Side: side, Symbols: symbols, Comm: -1, Caller: -1, Stack: -1},
		line:       l,
		counter:    counter,
		readChecks: readcheck.New(b.fn, kind, b.enc, l, counter),
		known:      map[string]bool{},
	}
}

// Kind returns the kind of the side's probes.
func (s *Side) Kind() dynevent.Kind { return s.probe.Kind }

// ShowsFaults reports whether the probes show if memory could be read.
func (s *Side) ShowsFaults() bool { return s.fn.Target.Features.Keeps || s.readChecks.Counts() }

// Add adds a field with everything it needs. A hidden field is added only once.
func (s *Side) Add(e encode.Encoded, w cond.Want) (cond.Ref, bool) {
	f, at, x := e.Field, w.X.Where(), w.X.String()
	s.Used = true
	for i, other := range s.Fields {
		if w.Hidden && s.Exprs[i] == x && f.Format == other.Format && f.Encoding == other.Encoding && f.Count == other.Count {
			return s.Values.Ref(i), true
		}
	}
	f.Hidden, f.Label = w.Hidden, cmp.Or(w.Name, spec.CalledName(w.X))
	if f.Label != x {
		f.Expr = x
		f.Alias = !slices.ContainsFunc(s.fn.Proto.Params, func(p btf.Param) bool { return p.Name == f.Label })
	}
	if f.Encoding == value.Dumped && f.Dump == nil {
		return s.addDump(e, w, f)
	}
	label := f.Label
	switch {
	case e.ArgName != "":
		label = cmp.Or(w.Name, e.ArgName)
	case f.Add != 0: // the name must not suggest the address of the member
		label = cmp.Or(e.Route.Origin, e.Route.Base.String())
	}
	own, ok := e.Route.Arg(), false
	own.Type, own.Count, own.Short = e.Type, e.Count, e.Brief
	if f.Arg, ok = s.line.AddFor(e.Use, own, label, at, e.Next...); !ok {
		return cond.Ref{}, false
	}
	if !s.addBound(e, &f) || !s.addPointerChecks(e, &f) {
		return cond.Ref{}, false
	}
	if f.Path, ok = s.addPath(e.Path, f.Label, at); !ok {
		return cond.Ref{}, false
	}
	if slices.ContainsFunc(f.PointerChecks, func(g value.PointerCheck) bool { return g.ReadCheck != nil }) {
		s.proven = append(s.proven, proven{len(s.Fields), e, w})
	}
	return s.Append(f, x), true
}

// addPointerChecks adds the pointers on the way to e, and the fetchargs that show whether they
// lead to memory. For a dump, its windows prove the last pointer.
func (s *Side) addPointerChecks(e encode.Encoded, f *value.Field) bool {
	for i, label := range e.Route.Labels {
		if label.Text == "" {
			continue
		}
		n := i
		if e.Route.OfVariable() {
			n++
		}
		name := label.Text
		if name == f.Label { // the label names the text; the address needs a name of its own
			name += " ptr"
		}
		arg, ok := s.line.Add(e.Route.Pointer(n).As(dynevent.X64), name, e.Span)
		if !ok {
			return false
		}
		g := value.PointerCheck{Label: label.Text, Arg: arg, Space: s.space(e, i)}
		if last := i == len(e.Route.Labels)-1; s.fn.Target.Live && g.Space != value.KernelSpace && !(last && f.Encoding == value.Dumped) {
			g.ReadCheck = s.readChecks.Check(e, i, n, f.Arg)
			if last && e.Short && g.ReadCheck != nil {
				g.Head = s.readChecks.Head(e, i, n)
			}
		}
		f.PointerChecks = append(f.PointerChecks, g)
	}
	return true
}

// space returns where the i-th pointer on the way to e must point. A char * may
// point anywhere: where the address spaces do not overlap the kernel reads both,
// and the string itself shows a fault.
func (s *Side) space(e encode.Encoded, i int) value.Space {
	last, text := i == len(e.Route.Labels)-1, e.Type == dynevent.String
	switch user := e.Route.Marked(i); {
	case user || last && e.Type == dynevent.Ustring:
		return value.UserSpace
	case last && text && (e.Field.Count == 0 || e.Route.Type == nil):
		return value.AnySpace
	case s.fn.Target.Arch.OneSpace || e.Route.Labels[i].InKernel():
		return value.KernelSpace
	case last && text:
		return value.AnySpace
	}
	return value.EitherSpace
}

// Follows reports whether anything is fetched through the pointer that p leads to.
func (s *Side) Follows(p route.Route) bool {
	return slices.ContainsFunc(s.line.Args, func(a dynevent.Arg) bool {
		return a.Base == p.Base && len(a.Hops) > 1 && a.Hops[0] == dynevent.Hop{Offset: p.Off}
	})
}

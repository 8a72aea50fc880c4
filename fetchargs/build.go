package fetchargs

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/line"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/prove"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A builder collects the fetchargs of one probe. A fetcharg that is needed twice is
// added once.
type builder struct {
	cond.Values
	r       *resolver
	probe   *plan.Probe
	line    *line.Line
	filters []string        // must all hold
	known   map[string]bool // the filters that check pointers
	prover  *prove.Prover
	proven  []proven
	dumps   []dump
}

// newBuilder returns the builder of a side, which stays empty if the source has no such side.
// counter is nil if the kernel has no counter, or none for the side.
func (r *resolver) newBuilder(symbols []string, side dynevent.Side, counter *prove.Counter) *builder {
	kind, _ := r.fn.Way.Probe(side)
	l := line.New(kind, r.enc, r.fn.Target.Nonce, &r.Collector)
	return &builder{
		Values: cond.Values{At: side},
		r:      r,
		probe:  &plan.Probe{Plan: r.out, Kind: kind, Side: side, Symbols: symbols, Comm: -1, Caller: -1, Stack: -1},
		line:   l,
		prover: prove.New(r.fn, r.enc, l, counter),
		known:  map[string]bool{},
	}
}

// add adds a field with everything it needs. A hidden field is added only once.
func (b *builder) add(e encode.Encoded, w cond.Want) (cond.Ref, bool) {
	f, at, x := e.Field, w.X.Where(), w.X.String()
	b.Used = true
	for i, other := range b.Fields {
		if w.Hidden && b.Exprs[i] == x && f.Format == other.Format && f.Encoding == other.Encoding && f.Count == other.Count {
			return b.Values.Ref(i), true
		}
	}
	b.r.label(&f, w)
	if f.Encoding == value.Dumped && f.Dump == nil {
		return b.addDump(e, w, f)
	}
	label := f.Label
	if f.Add != 0 { // the name must not suggest the address of the member
		if label = e.Route.Origin; label == "" {
			label = e.Route.Base.String()
		}
	}
	own, ok := e.Route.Arg(), false
	own.Type, own.Count, own.Short = e.Type, e.Count, e.Brief
	use := ""
	if f.Encoding == value.Age { // do not share it with a field that shows the time itself
		use = fmt.Sprintf("age %v ", f.Boot)
	}
	if f.Arg, ok = b.line.AddFor(use, own, label, at, e.Next...); !ok {
		return cond.Ref{}, false
	}
	if !b.addBound(e, &f) || !b.guards(e, &f) {
		return cond.Ref{}, false
	}
	if f.Path, ok = b.addPath(e.Path, f.Label, at); !ok {
		return cond.Ref{}, false
	}
	if slices.ContainsFunc(f.Guards, func(g value.Guard) bool { return g.Proof != nil }) {
		b.proven = append(b.proven, proven{len(b.Fields), e, w})
	}
	b.Fields = append(b.Fields, f)
	b.Exprs = append(b.Exprs, x)
	return b.Values.Ref(len(b.Fields) - 1), true
}

// label gives the field of w its names.
func (r *resolver) label(f *value.Field, w cond.Want) {
	f.Hidden, f.Label = w.Hidden, cmp.Or(w.Name, spec.CalledName(w.X))
	if x := w.X.String(); f.Label != x {
		f.Expr = x
		f.Alias = !slices.ContainsFunc(r.fn.Proto.Params, func(p btf.Param) bool { return p.Name == f.Label })
	}
}

// guards adds the pointers on the way to e, and the fetchargs that prove that they
// lead to memory. For a dump, its windows prove the last pointer.
func (b *builder) guards(e encode.Encoded, f *value.Field) bool {
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
		arg, ok := b.line.Add(e.Route.Pointer(n).As(dynevent.X64), name, e.Span)
		if !ok {
			return false
		}
		g := value.Guard{Label: label.Text, Arg: arg, Space: b.space(e, i)}
		if last := i == len(e.Route.Labels)-1; b.r.fn.Target.Live && g.Space != value.KernelSpace && !(last && f.Encoding == value.Dumped) {
			g.Proof = b.prover.Proof(e, i, n, f.Arg)
			if last && e.Short && g.Proof != nil {
				g.Head = b.prover.Head(e, i, n)
			}
		}
		f.Guards = append(f.Guards, g)
	}
	return true
}

// space returns where the i-th pointer on the way to e must point. A char * may
// point anywhere: where the address spaces do not overlap the kernel reads both,
// and the string itself shows a fault.
func (b *builder) space(e encode.Encoded, i int) value.Space {
	last, text := i == len(e.Route.Labels)-1, e.Type == dynevent.String
	switch user := e.Route.Marked(i); {
	case user || last && e.Type == dynevent.Ustring:
		return value.UserSpace
	case last && text && (e.Field.Count == 0 || e.Route.Type == nil):
		return value.AnySpace
	case b.r.fn.Target.Arch.OneSpace || e.Route.Labels[i].InKernel():
		return value.KernelSpace
	case last && text:
		return value.AnySpace
	}
	return value.EitherSpace
}

package route

import (
	"errors"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/source"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// A Walker leads expressions of a spec about fn to where their values are.
type Walker struct {
	fn *find.Function

	Params    []Route
	ParamErrs []error
	argWords  int // registers and stack words that the parameters take, -1 if not known

	// The alternatives taken. Without them each choice would be made twice for the one that
	// follows it in a chain: 2 to the power of its length.
	chosen map[*spec.Choice]int

	depth  int        // of Walk
	naming *spec.Item // the item whose expression is walked, so that its name is not found in itself
}

// locators find out where the values of a source are: the routes to them, or for each that
// cannot be fetched an error instead.
var locators = map[source.Source]func(*Walker) ([]Route, []error){
	source.Function:   (*Walker).locateParams,
	source.Syscall:    (*Walker).locateArgs,
	source.Tracepoint: (*Walker).locateFields,
}

func New(f *find.Function) *Walker {
	r := &Walker{fn: f, chosen: map[*spec.Choice]int{}}
	r.Params, r.ParamErrs = locators[f.Source](r)
	return r
}

// register returns the base of the n-th integer register, from 0.
func (r *Walker) register(n int) dynevent.Base {
	if r.fn.Target.Features.ArgN && !r.fn.Absent {
		return dynevent.Base{Kind: dynevent.ArgN, N: int64(n + 1)}
	}
	return dynevent.Base{Kind: dynevent.Register, Name: r.fn.Target.Arch.Regs[n]}
}

func (r *Walker) TypeNamed(name spec.Name) (btf.Type, *spec.Error) {
	t, err := r.fn.Target.Kernel.Type(name.Text)
	var missing *btf.NotFoundError
	switch {
	case err == nil:
		return t, nil
	case errors.As(err, &missing):
		return nil, spec.ErrorWith(name.Span, err, spec.DidYouMean(missing.Suggestions, ""), "there is no %s in this kernel", find.WithKeyword(missing.Name))
	}
	return nil, spec.ErrorWith(name.Span, err, "", "%v", err)
}

// CharArray returns the type char[n]; nil if BTF has no char.
func (r *Walker) CharArray(n uint32) btf.Type {
	char, err := r.fn.Target.Kernel.Type("char")
	if err != nil {
		return nil
	}
	return &btf.Array{Type: char, Nelems: n}
}

// Inside walks from the struct at p to a member, by the names on the way.
func (r *Walker) Inside(p Route, names ...string) (Route, bool) {
	for _, name := range names {
		m, err := btf.Member(btf.OrVoid(p.Type), name)
		if err != nil || m.BitSize > 0 {
			return p, false
		}
		ok := false
		if p, ok = p.Member(m).Settle(); !ok {
			return p, false
		}
	}
	return p, true
}

// Pointee returns what t points to, with its members even if the BTF at hand only
// declares the type.
func (r *Walker) Pointee(t btf.Type) btf.Type {
	target := btf.Pointee(t)
	if target == nil {
		return nil
	}
	return r.fn.Target.Kernel.Complete(target)
}

func (r *Walker) Macros() *constants.Table { return r.fn.Target.Macros() }

package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/measure"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// conditions resolves all conditions of the spec. The kernel's filters get what
// they can decide; the rest is left to user space.
func (r *resolver) conditions() {
	all := cond.Tests(&r.Collector, r, r.fn.Spec)
	if r.out.Starts != "" {
		r.atEntry(all)
	}
	r.measure()
	switch {
	case len(r.Errs) > 0:
		return
	case len(r.out.Clocks) > 0 && r.out.Starts == "":
		r.passing(all)
		return
	case len(all) == 0:
		return
	}
	whole := cond.Join(true, all...)
	if all = whole.And; all == nil {
		all = []*cond.Test{whole}
	}
	r.out.Asked = whole
	exact := true
	for _, t := range all {
		exact = r.builder.Push(t) && exact
	}
	if !exact {
		r.out.Check = whole
	}
}

func (r *resolver) Values() []string {
	words := []string{"return"}
	for _, p := range r.fn.Proto.Params {
		words = append(words, p.Name)
	}
	for _, item := range r.fn.Spec.Items {
		if item.Expr != nil && item.Name.Text != "" {
			words = append(words, item.Name.Text)
		}
	}
	return words
}

func (r *resolver) Macros() *constants.Table { return r.walk.Macros() }

// Address reports whether x is an address of the kernel or a size, and returns it.
func (r *resolver) Address(x spec.Expr) (addr uint64, is, ok bool) {
	number, is, err := r.walk.Address(x)
	if err != nil {
		r.Add(err)
		return 0, is, false
	}
	r.remark(number.Remarks)
	return uint64(number.Base.N), is, true
}

func (r *resolver) Enumerator(t btf.Type, name string) (int64, error) {
	return r.fn.Target.Kernel.Enumerator(t, name)
}

func (r *resolver) SimilarConstants(name string) []string {
	return r.fn.Target.Kernel.SimilarConstants(name)
}

// measure fetches the values of the target's Measures.
func (r *resolver) measure() {
	if r.out.Starts != "" {
		return // no call of it is shown
	}
	r.out.Measures = measure.All(&r.Collector, r.fn.Target.Measures, r)
}

package host

import (
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// Gather adds to t what specs, and the measures of t, ask of this host by name: where
// variables are, the CPUs, and the types of modules that the run waits for. A plan can then
// be made without another look at the machine.
func (h *Host) Gather(t *target.Target, specs []*spec.Spec) error {
	if t.Places == nil {
		return nil // another host
	}
	t.HZ = h.hz()
	g := gathering{table: h, t: t}
	for _, s := range specs {
		for ; s != nil; s = s.Else {
			if t.Awaited != nil {
				h.await(t, s)
			}
			s.Inspect(g.expr)
		}
	}
	for _, measure := range t.Measures {
		measure.Item.Inspect(g.expr)
	}
	if g.err != nil || !g.perCPU {
		return g.err
	}
	offsets := g.place(dynevent.PerCPUOffsets)
	if g.err == nil {
		t.CPUs, g.err = eachCPU(offsets, g.far)
	}
	return g.err
}

// A gathering is the state of Gather.
type gathering struct {
	table  *Host
	t      *target.Target
	perCPU bool // a spec asks for what each CPU has its own of
	far    bool // by the address itself, which is a sum with the offset of the CPU
	err    error
}

func (g *gathering) expr(x spec.Expr) {
	switch x := x.(type) {
	case *spec.Symbol:
		g.place(x.Text)
	case *spec.PerCPU:
		g.ofCPU(x.Name.Text)
	case *spec.Builtin:
		if x.Text != "$current" || g.t.Features.Current {
			return
		}
		for _, name := range g.t.Arch.Current {
			name, _, _ = strings.Cut(name, ".")
			if g.ofCPU(name) {
				return
			}
		}
	case *spec.Addr, *spec.Cast, *spec.ContainerOf: // of such a variable, this is its address
		g.far = true
	}
}

// ofCPU finds a variable that each CPU has its own of, and reports whether there is one.
func (g *gathering) ofCPU(name string) bool {
	p := g.place(name)
	g.perCPU = true
	g.far = g.far || len(p.Addrs) == 1 && !dynevent.Base{Addr: p.Addrs[0]}.IsNear()
	return len(p.Addrs) > 0
}

// place finds a variable or function.
func (g *gathering) place(name string) target.SymbolPlace {
	if p, known := g.t.Places[name]; known || g.err != nil {
		return p
	}
	p, err := g.table.Symbols.Place(name)
	if g.err = err; err == nil {
		g.t.Places[name] = target.SymbolPlace(p)
	}
	return g.t.Places[name]
}

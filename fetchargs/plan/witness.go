package plan

import (
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Witness is a probe of tsnoop's own that counts faults: see target.Witness.
type Witness struct {
	Kprobe uint64 // address of its struct kprobe
	Addr   uint64 // where it is
	Start  uint64 // address where the memory begins in which it counts all faults
}

// Witnessed reports whether plans use a witness.
func Witnessed(plans []*Plan) bool {
	for _, p := range Probes(plans) {
		for i := range p.Args {
			if isWitness(&p.Args[i]) {
				return true
			}
		}
	}
	return false
}

// Faults reports whether plans fetch what often faults: checks of user memory by strings do.
func Faults(plans []*Plan) bool {
	through := func(p *value.ReadCheck) bool { return p != nil && p.Kind == value.Through }
	for _, p := range Probes(plans) {
		for i := range p.Fields {
			f := &p.Fields[i]
			if slices.ContainsFunc(f.PointerChecks, func(g value.PointerCheck) bool { return through(g.ReadCheck) || through(g.Head) }) {
				return true
			}
			if f.Dump != nil && slices.ContainsFunc(f.Dump.Windows, func(w value.Window) bool { return through(w.ReadCheck) }) {
				return true
			}
		}
	}
	return false
}

// UseWitness says where the witness of plans is, before they are defined.
func UseWitness(plans []*Plan, w Witness) {
	for _, p := range Probes(plans) {
		for _, p := range p.WithSpare() {
			p.useWitness(w)
		}
	}
}

func (p *Probe) useWitness(w Witness) {
	for i := range p.Args {
		if isWitness(&p.Args[i]) {
			p.Args[i].Base.Addr = w.Kprobe
		}
	}
	for i := range p.Fields {
		if p.Fields[i].Dump == nil {
			continue
		}
		for _, window := range p.Fields[i].Dump.Windows {
			if check := window.ReadCheck; check.Kind == value.Witnessed {
				check.Addr, check.End = w.Addr, w.Start
			}
		}
	}
}

func isWitness(a *dynevent.Arg) bool {
	return a.Base.Kind == dynevent.Memory && a.Base.Name == dynevent.Witness
}

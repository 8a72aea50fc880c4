package plan

import (
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/measure"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Decides reports whether some conditions are left for Match to decide.
func (p *Plan) Decides() bool { return p.Check != nil }

// HoldsBack reports whether a call can be shown only after its return: the return
// decides whether it is wanted.
func (p *Plan) HoldsBack() bool {
	return p.chooses(dynevent.Return) || p.Check.AsksReturn()
}

// chooses reports whether the kernel's filter selects among the events of a side.
func (p *Plan) chooses(side dynevent.Side) bool {
	return slices.ContainsFunc(p.Of(side), (*Probe).Chooses)
}

// Match reports whether the plan's conditions hold for a call. records has one record for
// each of p.Probes, and decoders has their decoders. A record that was not seen is nil; a
// condition on it does not hold. Nor does a condition on the duration, in ns, unless the
// call has ended. Match returns true if no conditions are left to user space.
func (p *Plan) Match(decoders []*value.Decoder, records [][]byte, duration uint64, ended bool) bool {
	if p.Check == nil {
		return true
	}
	return p.Check.Holds(&cond.Took{NS: duration, Ended: ended}, func(o cond.Operand) (*value.Field, value.Value) {
		i := p.probe(o)
		f := &p.Probes[i].Fields[o.Index]
		if records[i] == nil {
			return f, value.Value{}
		}
		return f, decoders[i].Value(o.Index, records[i])
	})
}

// probe returns the index of the operand's probe in p.Probes.
func (p *Plan) probe(o cond.Operand) int {
	if o.Side == dynevent.Return {
		return len(p.Of(dynevent.Entry)) + o.Part
	}
	return o.Part
}

// FieldOf returns the field that the operand refers to.
func (p *Plan) FieldOf(o cond.Operand) *value.Field { return &p.Probes[p.probe(o)].Fields[o.Index] }

// Measured returns where the value of one of p.Measures is: an index into p.Probes and an
// index into the Fields of that probe. ok is false if the plan does not have the value, or
// if it is the duration.
func (p *Plan) Measured(m *measure.Measured) (probe, field int, ok bool) {
	if !m.Known || m.Elapsed {
		return 0, 0, false
	}
	return p.probe(m.Of), m.Of.Index, true
}

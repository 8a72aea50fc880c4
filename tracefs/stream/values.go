package stream

import (
	"iter"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// Values yields the fields of a call and their values: first those of its entry, then
// those of its return. Fields that only a condition needs are left out. The values are
// valid as long as the call.
func (r *Stream) Values(c *calls.Call) iter.Seq2[*value.Field, value.Value] {
	plan := r.Plans[c.Plan]
	return func(yield func(*value.Field, value.Value) bool) {
		for _, p := range plan.Probes {
			if e := c.Event(p.Side == dynevent.Return, p.Part); e != nil && !r.values(c, p, e, yield) {
				return
			}
		}
	}
}

func (r *Stream) values(c *calls.Call, p *plan.Probe, e *tracefs.Event, yield func(*value.Field, value.Value) bool) bool {
	d := r.decoder[p]
	for i := range p.Fields {
		f := &p.Fields[i]
		if f.Hidden {
			continue
		}
		v := value.Value{}
		if f.Dump != nil && len(f.Dump.Rest) > 0 {
			v = r.object(c, p, i)
		} else {
			v = d.Value(i, e.Data)
		}
		if !yield(f, v) {
			return false
		}
	}
	return true
}

// object returns the value of a field that begins in the first part of a side and goes
// on in the others.
func (r *Stream) object(c *calls.Call, p *plan.Probe, field int) value.Value {
	parts := p.Plan.Of(p.Side)
	j := r.assemblers[p.Fields[field].Dump]
	if j == nil {
		decoders := make([]*value.Decoder, len(parts))
		for i, part := range parts {
			decoders[i] = r.decoder[part]
		}
		if r.assemblers == nil {
			r.assemblers = map[*value.Extent]*value.ObjectAssembler{}
		}
		j = value.NewObjectAssembler(field, decoders)
		r.assemblers[p.Fields[field].Dump] = j
	}
	records := make([][]byte, len(parts))
	for i, part := range parts {
		if e := c.Event(part.Side == dynevent.Return, part.Part); e != nil {
			records[i] = e.Data
		}
	}
	return j.Value(records)
}

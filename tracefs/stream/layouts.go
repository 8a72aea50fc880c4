package stream

import (
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/amend"
)

// Decoder returns the decoder for the events of a probe: it reads the values of the
// probe's fields from their data.
func (r *Stream) Decoder(p *plan.Probe) *value.Decoder { return r.decoder[p] }

// Format returns the format of the events of a probe.
func (r *Stream) Format(p *plan.Probe) *tracefs.Format { return r.format[p] }

// Learn notes how the records of a probe are laid out.
func (r *Stream) Learn(p *plan.Probe, f *tracefs.Format) error {
	l, err := r.Understand(p, f)
	if err == nil {
		r.Take(l)
	}
	return err
}

// Understand returns how the records of a probe are laid out.
func (r *Stream) Understand(p *plan.Probe, f *tracefs.Format) (amend.Layout, error) {
	if s := p.Share; s != nil {
		part := *f
		part.ID, part.Name = -s.Number, p.Event
		if !f.Share(AddressField(p.Side), s.Addr, &part) {
			return amend.Layout{}, fmt.Errorf("%s: the kernel's format has no address of the function", f.Name)
		}
		f = &part
	}
	slots, err := p.Slots(func(name string) (value.Slot, bool) {
		field := f.Field(name)
		if field == nil {
			return value.Slot{}, false
		}
		s := value.Slot{Offset: field.Offset, Size: field.Size, DataLoc: field.DataLoc}
		if field.Relative {
			s.From = field.Offset + field.Size
		}
		return s, true
	})
	if err != nil {
		return amend.Layout{}, err
	}
	return amend.Layout{Probe: p, Format: f, Decoder: p.Decoder(slots, r.Order, r.Mapped)}, nil
}

// AddressField returns the name of the field of an fprobe event that has the address of the
// function.
func AddressField(side dynevent.Side) string {
	if side == dynevent.Return {
		return "__probe_func"
	}
	return "__probe_ip"
}

// Take stores what is known of the records of a probe.
func (r *Stream) Take(l amend.Layout) {
	if r.decoder == nil {
		r.known = map[int]bool{}
		r.format = map[*plan.Probe]*tracefs.Format{}
		r.decoder = map[*plan.Probe]*value.Decoder{}
	}
	f := l.Format
	if f.Whole != nil {
		f = f.Whole
	}
	if !r.known[f.ID] {
		r.known[f.ID] = true
		r.Formats = append(r.Formats, f)
	}
	if !l.Probe.Kind.Defined() {
		if r.nameless == nil {
			r.nameless = map[int]bool{}
		}
		r.nameless[l.Format.ID] = true
	}
	r.format[l.Probe], r.decoder[l.Probe] = l.Format, l.Decoder
	r.Amend.Learn(l)
}

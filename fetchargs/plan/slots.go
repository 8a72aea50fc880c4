package plan

import (
	"encoding/binary"
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Slots returns the layout of the records of p: one slot for each of Args. A return has
// one more if the kernel has recorded the address that it returns to; p.Caller is then
// the index of that slot. field finds a field of the event by its name.
func (p *Probe) Slots(field func(name string) (value.Slot, bool)) ([]value.Slot, error) {
	slots := make([]value.Slot, len(p.Args), len(p.Args)+1)
	for i, a := range p.Args {
		name := p.RecordName(i)
		s, ok := field(name)
		if !ok {
			return nil, fmt.Errorf("%s: the kernel's format has no field %s", p.Event, name)
		}
		if slots[i] = s; p.Share != nil && !s.DataLoc && a.Count == 0 {
			slots[i].Size = min(s.Size, a.Type.Size) // the lower bytes of a word: no big-endian architecture has such events
		}
		if !p.Kind.Defined() {
			if slots[i], ok = within(s, &a); !ok {
				return nil, fmt.Errorf("%s: the kernel's field %s ends before %s", p.Event, name, a.Name)
			}
			if a.Base == dynevent.Head {
				slots[i].Size = 8
			}
		}
	}
	if p.Side == dynevent.Return {
		p.Caller = -1
		if s, ok := field("__probe_ret_ip"); ok {
			p.Caller = len(slots)
			slots = append(slots, s)
		}
	}
	return slots, nil
}

// RecordName returns the name of the field of the records that has the value of p.Args[i].
func (p *Probe) RecordName(i int) string {
	switch {
	case !p.Kind.Defined():
		return p.Args[i].Base.Name
	case p.Share != nil:
		a, _ := p.Shared(i)
		return a.Name
	}
	return p.Args[i].Name
}

// Decoder returns a decoder for p's records. slots are those of [Probe.Slots], or one for
// each of p.Args if p has no other caller. mapped reports whether a kernel address can be
// read. If it is nil, every address in the kernel's half is taken for readable, except
// error pointers.
func (p *Probe) Decoder(slots []value.Slot, order binary.ByteOrder, mapped func(uint64) bool) *value.Decoder {
	return value.NewDecoder(p.Fields, p.arch(), slots, order, mapped)
}

// within returns the place of a fetcharg in a field of an event that was not defined for it.
// It returns false if it is not in the field.
func within(s value.Slot, a *dynevent.Arg) (value.Slot, bool) {
	s.Sure = a.IsString()
	if len(a.Hops) == 0 || s.DataLoc {
		return s, true
	}
	at := int(a.Hops[0].Offset)
	if at < 0 || at > s.Size {
		return s, false
	}
	if s.Offset, s.Size = s.Offset+at, s.Size-at; !s.Sure {
		s.Size = min(s.Size, a.Size())
	}
	return s, true
}

package calls

import "maps"

// A knownSide is a Side, or the absence of one.
type knownSide struct {
	Side
	known bool
}

// Know adds the events of further plans.
func (p *Pairer) Know(sides map[int]Side) {
	all := maps.Clone(sides)
	for i := range p.sides {
		if p.sides[i].known {
			all[p.base+i] = p.sides[i].Side
		}
	}
	p.know(all)
}

// know stores the sides where Add finds them fastest. IDs have 16 bits.
func (p *Pairer) know(sides map[int]Side) {
	if len(sides) == 0 {
		return
	}
	last := 0
	p.base = 1 << 16
	for id := range sides {
		p.base, last = min(p.base, id), max(last, id)
	}
	p.sides = make([]knownSide, last-p.base+1)
	for id, s := range sides {
		p.sides[id-p.base] = knownSide{s, true}
		p.parts = p.parts || s.Parts > 1
	}
}

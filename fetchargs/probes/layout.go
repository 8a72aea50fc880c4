package probes

import (
	"cmp"
	"slices"
)

// layout gives the fetchargs their places in the line, and so in the record. Until then
// fields and read checks refer to a fetcharg by its number in the order in which it was added,
// which does not change.
//
// Strings come after all else: in a line of text, a string ends only at its quote and the
// next name. The task's name comes last, because it cannot fault.
func (s *Side) layout() {
	p := s.probe
	class := func(arg int) int {
		const number, text, own = 0, 1, 2
		switch {
		case arg == p.Comm:
			return own
		case s.line.Args[arg].IsString():
			return text
		}
		return number
	}
	line := s.readChecks.Order()
	slices.SortStableFunc(line, func(x, y int) int { return cmp.Compare(class(x), class(y)) })
	at := make([]int, len(s.line.Args))
	for place, arg := range line {
		at[arg] = place
		p.Args = append(p.Args, s.line.Args[arg])
	}
	move := func(arg *int) { *arg = at[*arg] }
	for i := range p.Fields {
		p.Fields[i].EachArg(move)
	}
	for _, arg := range []*int{&p.Comm, &p.Caller, &p.Stack} {
		if *arg >= 0 {
			move(arg)
		}
	}
}

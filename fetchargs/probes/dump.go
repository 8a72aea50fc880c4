package probes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// An object is fetched as arrays of x64, as many as fit into one event. Further
// probes at the same place fetch the rest: these are the parts of a side. Each part
// also fetches the pointers on the way and what its filter needs.

// A dump is a field whose fetchargs are added after those of all other fields.
type dump struct {
	encode.Encoded
	index int // in Side.Fields
	label string
}

// addDump adds the field of a dump. It fetches only the pointers that lead to it;
// spread adds the rest.
func (s *Side) addDump(e encode.Encoded, w cond.Want, f value.Field) (cond.Ref, bool) {
	f.Dump = &value.Extent{}
	if len(e.Route.Labels) > 0 {
		f.Dump.Off = int(e.Route.Off)
	} else if p := e.Route; p.Base.Kind == dynevent.Memory && p.Symbol != nil && len(p.Symbol.Addrs) == 1 && len(p.Hops) == 0 {
		f.Dump.Addr = p.Symbol.Addrs[0] + uint64(p.Off)
	}
	if !s.addPointerChecks(e, &f) {
		return cond.Ref{}, false
	}
	s.dumps = append(s.dumps, dump{e, len(s.Fields), f.Label})
	return s.Append(f, w.X.String()), true
}

// spread adds the fetchargs of the dumps, and returns s with the further parts that
// they need.
func (s *Side) spread() []*Side {
	parts := []*Side{s}
	for _, d := range s.dumps {
		whole := min(d.Field.Whole, value.MostOfObject)
		for at, fresh := 0, false; at < whole; {
			part := parts[len(parts)-1]
			n := part.room(d, whole-at)
			if n == 0 {
				if fresh {
					s.errs.Fail(d.Span, "", "there is no room for %s in an event", d.label)
					return parts
				}
				parts, fresh = append(parts, s.next(len(parts))), true
				continue
			}
			if !part.stretch(s, d, at, n) {
				return parts
			}
			at, fresh = at+n, false
		}
	}
	return parts
}

// next makes the n-th part of the side, with the fetchargs that its filter needs.
func (s *Side) next(n int) *Side {
	part := s.side(s.probe.Symbols, s.probe.Side, s.counter)
	part.Part, part.probe.Part, part.Used = n, n, true
	part.filters = slices.Clone(s.filters)
	for _, a := range plan.NamedIn(s.line.Args, strings.Join(s.filters, " ")) {
		part.line.Copy(a)
	}
	return part
}

// room returns how many of n bytes of d fit into s: all of them, some whole arrays, or 0.
func (s *Side) room(d dump, n int) int {
	name := s.fn.Target.CommArg(s.probe.Kind)
	own := 8 + 8 + 4 + name.Size() // caller, stack, trial and the task's name
	left := dynevent.MaxEventSize - own - 8*len(d.Route.Labels)
	line := dynevent.MaxLine - 256 - len(s.probe.Symbols[0])
	if slices.ContainsFunc(s.line.Args, isText) {
		left -= encode.TextRoom
	}
	for i := range s.line.Args {
		left -= s.line.Args[i].Size()
		line -= len(s.line.Args[i].Name) + len(s.line.Args[i].String()) + 2
	}
	record, chars, counts := s.readChecks.WitnessRoom(d.Encoded)
	left -= record
	line -= chars
	switch {
	case counts:
		n = min(n, encode.ArrayBytes)
	case s.readChecks.Counts(): // the count is fetched before and after each array
		left -= s.readChecks.CountRoom()
		n = min(n, encode.ArrayBytes) // so that the count shows which page faulted
	case s.fn.Target.Live:
		left -= 8 // two windows
		line -= 2 * (dynevent.MaxArgName + s.fn.Target.Features.MaxArg())
	}
	each := dynevent.MaxArgName + 2 + len(d.stretchArg(value.MostOfObject, dynevent.X64, dynevent.MaxElements).String())
	for _, a := range d.Route.Hops {
		line -= dynevent.MaxArgName + len(a.Wrap("")) + each
	}
	const tail = 4 // arrays for what is left after the last x64
	if left = min(left, (line/each-tail)*encode.ArrayBytes); n > left {
		return max(0, left/encode.ArrayBytes*encode.ArrayBytes)
	}
	return n
}

// stretchArg returns the fetcharg of count elements of the object, starting at byte at.
func (d *dump) stretchArg(at int, typ dynevent.Type, count int) dynevent.Arg {
	a := d.Route.At(int64(at), nil).Arg().As(typ)
	if count > 1 {
		a.Count = count
	}
	return a
}

// stretch makes s fetch n bytes of d, starting at byte at. The field of d belongs
// to the part first.
func (s *Side) stretch(first *Side, d dump, at, n int) bool {
	f, own := first.Fields[d.index], s == first && at == 0
	if !own {
		f = value.Field{Label: d.label, Hidden: true, Encoding: value.Dumped, Size: 1, Dump: &value.Extent{Off: f.Dump.Off, Addr: f.Dump.Addr}}
		if !s.addPointerChecks(d.Encoded, &f) {
			return false
		}
	}
	f.Count, f.Dump.At = n, at
	if !s.arrays(d, &f) {
		return false
	}
	if s.fn.Target.Live {
		f.Dump.Windows = s.readChecks.Windows(d.Encoded, &f)
	}
	if own {
		s.Fields[d.index] = f
		return true
	}
	of := first.Fields[d.index].Dump
	of.Rest = append(of.Rest, value.Place{Part: s.Part, Field: s.Append(f, "").Index})
	return true
}

// arrays adds the fetchargs of a stretch: numbers of 8 bytes, then smaller ones, so
// that nothing after the object is read.
func (s *Side) arrays(d dump, f *value.Field) bool {
	f.Arg = len(s.line.Args)
	for at, end := f.Dump.At, f.Dump.At+f.Count; at < end; f.Dump.Args++ {
		size := 8
		for size > end-at {
			size /= 2
		}
		count := min((end-at)/size, dynevent.MaxElements)
		a, text, limit := s.enc.Fitted(d.stretchArg(at, dynevent.Number("x", size), count))
		if len(text) > limit {
			s.errs.Add(encode.TooLong(d.Span, text, limit))
			return false
		}
		s.line.Append(a, fmt.Sprintf("%s %d", d.label, at), d.Span)
		at += count * size
	}
	return true
}

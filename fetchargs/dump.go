package fetchargs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/prove"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// An object is fetched as arrays of x64, as many as fit into one event. Further
// probes at the same place fetch the rest: these are the parts of a side. Each part
// also fetches the pointers on the way and what its filter needs.

// deeper shows the struct that w points to.
func (r *resolver) deeper(w cond.Want) {
	if w.Format.Text != "" {
		return
	}
	if _, is := w.X.(*spec.Since); is {
		return
	}
	p, _ := r.walk.Walk(w.X)
	target := r.walk.Pointee(p.Type)
	if target == nil || !btf.IsStruct(target) || p.IsPerCPU() {
		return
	}
	if size, known := btf.Size(target); !known || size == 0 {
		return
	}
	inner := cond.Want{X: &spec.Deref{X: w.X, Span: w.X.Where()}}
	if w.Name != "" {
		inner.Name = "*" + w.Name
	}
	r.show(inner)
}

// A dump is a field whose fetchargs are added after those of all other fields.
type dump struct {
	encode.Encoded
	index int // in builder.fields
	label string
}

// addDump adds the field of a dump. It fetches only the pointers that lead to it;
// spread adds the rest.
func (b *builder) addDump(e encode.Encoded, w cond.Want, f value.Field) (cond.Ref, bool) {
	f.Dump = &value.Extent{}
	if len(e.Route.Labels) > 0 {
		f.Dump.Off = int(e.Route.Off)
	} else if p := e.Route; p.Base.Kind == dynevent.Memory && p.Symbol != nil && len(p.Symbol.Addrs) == 1 && len(p.Hops) == 0 {
		f.Dump.Addr = p.Symbol.Addrs[0] + uint64(p.Off)
	}
	if !b.guards(e, &f) {
		return cond.Ref{}, false
	}
	b.Fields, b.Exprs = append(b.Fields, f), append(b.Exprs, w.X.String())
	b.dumps = append(b.dumps, dump{e, len(b.Fields) - 1, f.Label})
	return b.Values.Ref(len(b.Fields) - 1), true
}

// spread adds the fetchargs of the dumps, and returns b with the further parts that
// they need.
func (b *builder) spread() []*builder {
	parts := []*builder{b}
	for _, d := range b.dumps {
		whole := min(d.Field.Whole, value.MostOfObject)
		for at, fresh := 0, false; at < whole; {
			part := parts[len(parts)-1]
			n := part.room(d, whole-at)
			if n == 0 {
				if fresh {
					b.r.Fail(d.Span, "", "there is no room for %s in an event", d.label)
					return parts
				}
				parts, fresh = append(parts, b.next(len(parts))), true
				continue
			}
			if !part.stretch(b, d, at, n) {
				return parts
			}
			at, fresh = at+n, false
		}
	}
	return parts
}

// next makes the n-th part of b's side, with the fetchargs that its filter needs.
func (b *builder) next(n int) *builder {
	part := b.r.newBuilder(b.probe.Symbols, b.probe.Side, nil)
	part.Part, part.probe.Part, part.Used, part.prover = n, n, true, b.prover.ForPart(part.line)
	part.filters = slices.Clone(b.filters)
	for _, a := range plan.NamedIn(b.line.Args, strings.Join(b.filters, " ")) {
		part.line.Copy(a)
	}
	return part
}

// room returns how many of n bytes of d fit into b: all of them, some whole arrays, or 0.
func (b *builder) room(d dump, n int) int {
	const own = 8 + 8 + 4 + 4 // caller, stack, trial and the task's name
	left := dynevent.MaxEventSize - own - 8*len(d.Route.Labels)
	line := dynevent.MaxLine - 256 - len(b.probe.Symbols[0]) - len(b.probe.Event)
	for i := range b.line.Args {
		a := &b.line.Args[i]
		if a.IsString() && len(a.Hops) > 0 && a.Hops[len(a.Hops)-1].Offset != prove.Beyond {
			left -= encode.TextRoom
			break
		}
	}
	for i := range b.line.Args {
		left -= b.line.Args[i].Size()
		line -= len(b.line.Args[i].Name) + len(b.line.Args[i].String()) + 2
	}
	if b.prover.Counts() { // the count is fetched before and after each array
		left -= b.prover.CountRoom()
		n = min(n, encode.ArrayBytes) // so that the count shows which page faulted
	} else if b.r.fn.Target.Live {
		left -= 8 // two windows
		line -= 2 * (dynevent.MaxArgName + b.r.fn.Target.Features.MaxArg())
	}
	each := dynevent.MaxArgName + 2 + len(d.stretchArg(value.MostOfObject, dynevent.X64, dynevent.MaxElements).String())
	for _, a := range d.Route.Hops {
		line -= dynevent.MaxArgName + len(a.Wrap("")) + each
	}
	const tail = 4 // arrays for what is left after the last x64
	if arrays := min(line/each, dynevent.MaxArgs/2) - tail; n > left || (n+encode.ArrayBytes-1)/encode.ArrayBytes > arrays {
		n = max(0, min(left/encode.ArrayBytes, arrays)) * encode.ArrayBytes
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

// stretch makes b fetch n bytes of d, starting at byte at. The field of d belongs
// to the part first.
func (b *builder) stretch(first *builder, d dump, at, n int) bool {
	f, own := first.Fields[d.index], b == first && at == 0
	if !own {
		f = value.Field{Label: d.label, Hidden: true, Encoding: value.Dumped, Size: 1, Dump: &value.Extent{Off: f.Dump.Off, Addr: f.Dump.Addr}}
		if !b.guards(d.Encoded, &f) {
			return false
		}
	}
	f.Count, f.Dump.At = n, at
	if !b.arrays(d, &f) {
		return false
	}
	if b.r.fn.Target.Live {
		f.Dump.Windows = b.prover.Windows(d.Encoded, &f)
	}
	if own {
		b.Fields[d.index] = f
		return true
	}
	b.Fields, b.Exprs = append(b.Fields, f), append(b.Exprs, "")
	of := first.Fields[d.index].Dump
	of.Rest = append(of.Rest, value.Place{Part: b.Part, Field: len(b.Fields) - 1})
	return true
}

// arrays adds the fetchargs of a stretch: numbers of 8 bytes, then smaller ones, so
// that nothing after the object is read.
func (b *builder) arrays(d dump, f *value.Field) bool {
	f.Arg = len(b.line.Args)
	for at, end := f.Dump.At, f.Dump.At+f.Count; at < end; f.Dump.Args++ {
		size := 8
		for size > end-at {
			size /= 2
		}
		count := min((end-at)/size, dynevent.MaxElements)
		a, text, limit := b.r.enc.Fitted(d.stretchArg(at, dynevent.Number("x", size), count))
		if len(text) > limit {
			b.r.Add(encode.TooLong(d.Span, text, limit))
			return false
		}
		b.line.Append(a, fmt.Sprintf("%s %d", d.label, at), d.Span)
		at += count * size
	}
	return true
}

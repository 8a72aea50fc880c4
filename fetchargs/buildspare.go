package fetchargs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/prove"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

const (
	// spareWord is the size of the numbers that hold the beginning of a text.
	spareWord = 8
	// mostSpareWords is how many of them the filter looks at.
	mostSpareWords = 4
	// mostHead is how many bytes of a text with a limit a spare fetches at most.
	mostHead = 1024
)

// isLong reports whether the kernel may read thousands of bytes for a.
func isLong(a *dynevent.Arg) bool {
	return a.IsString() && a.Base.Kind != dynevent.Comm && !a.Short && a.String() != prove.Trial.String() &&
		len(a.Hops) > 0 && a.Hops[len(a.Hops)-1].Offset != prove.Beyond
}

// spare returns the spare of p, nil if p needs none. The kernel must run it after p. At a
// return this hides the caller from p, which only matters if nothing has it from the
// entry. If even the beginnings of the texts are too much, there is none.
func (b *builder) spare(both bool) *plan.Probe {
	p := b.probe
	if !b.r.fn.Target.Live || !p.Kind.AtFunction() || p.Side == dynevent.Return && !both || !slices.ContainsFunc(p.Args, func(a dynevent.Arg) bool { return isLong(&a) }) {
		return nil
	}
	for words := mostSpareWords; words > 0; words /= 2 {
		for _, whole := range []bool{true, false} {
			if s := b.spareOf(words, whole); fitsKernel(s) {
				s.Event = b.r.eventName(p.Side, "__spare")
				return s
			}
		}
	}
	b.r.spareless = true
	b.r.out.Notes = append(b.r.out.Notes, "a call is not shown if its text is longer than about 4,000 bytes: there is no room to fetch less of it")
	return nil
}

// spareOf returns the spare that fetches so many words of each text and, if whole is set,
// further bytes of those with a limit.
func (b *builder) spareOf(words int, whole bool) *plan.Probe {
	p := b.probe
	s := *p
	s.Args, s.Fields, s.Spare, s.Heads = nil, nil, nil, nil
	s.SpareOf, s.Comm, s.Caller, s.Stack = p, -1, -1, -1
	var tests []string
	var long []dynevent.Arg
	trial := slices.IndexFunc(p.Args, func(a dynevent.Arg) bool { return a.String() == prove.Trial.String() })
	for i, a := range p.Args {
		if !isLong(&a) {
			s.Args = append(s.Args, a)
			continue
		}
		long = append(long, a)
		h := plan.Head{Arg: i, First: len(s.Args), Sure: words * spareWord}
		var bytes []string
		for w := range words {
			word := b.headArg(a, w*spareWord, w)
			word.Name = unused(p, fmt.Sprintf("t%d_%d", i, w))
			s.Args = append(s.Args, word)
			for bit := 0; bit < 64; bit += 8 {
				bytes = append(bytes, fmt.Sprintf("%s & 0x%x", word.Name, uint64(0xff)<<bit))
			}
		}
		if n := p.Limit(i); whole && n > h.Sure {
			s.Args = append(s.Args, b.rest(a, i, h.Sure, min(n, mostHead))...)
		}
		h.Args = len(s.Args) - h.First
		if trial >= 0 && b.r.fn.Target.Features.Keeps {
			h.End = &value.Proof{Kind: value.Through, Args: []int{len(s.Args)}}
			end := b.headArg(a, h.Sure-spareWord, 0).Then(dynevent.Hop{Offset: prove.Beyond}).As(dynevent.Ustring)
			end.Name = unused(p, fmt.Sprintf("t%d_end", i))
			s.Args = append(s.Args, end)
		}
		s.Heads = append(s.Heads, h)
		tests = append(tests, "("+strings.Join(bytes, " && ")+")")
	}
	for i := range s.Heads {
		if s.Heads[i].End != nil {
			s.Heads[i].End.Trial = slices.IndexFunc(s.Args, func(a dynevent.Arg) bool { return a.Name == p.Args[trial].Name })
		}
	}
	filters := []string{strings.Join(tests, " || ")}
	if len(tests) > 1 {
		filters[0] = "(" + filters[0] + ")"
	}
	for _, f := range b.filters {
		if len(plan.NamedIn(long, f)) == 0 {
			filters = append(filters, f)
		}
	}
	s.Filter, s.OnlyComm = strings.Join(filters, " && "), false
	return &s
}

// headArg returns a fetcharg of the bytes of text a from byte at on.
func (b *builder) headArg(a dynevent.Arg, at, n int) dynevent.Arg {
	last := len(a.Hops) - 1
	hop := a.Hops[last]
	hop.Offset += int64(at)
	hop.User = hop.User || a.Type == dynevent.Ustring
	word := dynevent.Arg{Base: a.Base, Hops: a.Hops[:last], Span: a.Span}.Then(hop).As(dynevent.X64)
	word, _, _ = b.r.enc.Fitted(word)
	return word
}

// rest returns the arrays that fetch the bytes of text a, the arg i, from byte at to end.
func (b *builder) rest(a dynevent.Arg, i, at, end int) (args []dynevent.Arg) {
	for at < end {
		array := b.headArg(a, at, 0)
		array.Count = min((end-at+spareWord-1)/spareWord, dynevent.MaxElements)
		array, _, _ = b.r.enc.Fitted(array)
		array.Name = unused(b.probe, fmt.Sprintf("t%d_at_%d", i, at))
		args = append(args, array)
		at += array.Size()
	}
	return args
}

// unused returns a name that is not among those of p's args.
func unused(p *plan.Probe, name string) string {
	for slices.ContainsFunc(p.Args, func(a dynevent.Arg) bool { return a.Name == name }) {
		name += "_"
	}
	return name
}

// fitsKernel reports whether the kernel takes the probe.
func fitsKernel(p *plan.Probe) bool {
	size := 0
	for i := range p.Args {
		size += p.Args[i].Size()
	}
	return len(p.Args) <= dynevent.MaxArgs && size <= dynevent.MaxEventSize && len(p.KernelFilter()) <= dynevent.MaxFilter &&
		!slices.ContainsFunc(p.Definitions("tsnoop_1234567890"), func(line string) bool { return len(line) > dynevent.MaxLine })
}

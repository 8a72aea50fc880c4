package probes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/readcheck"
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

// isText reports whether a fetches text that may be in memory.
func isText(a dynevent.Arg) bool {
	return a.IsString() && len(a.Hops) > 0 && a.Hops[len(a.Hops)-1].Offset != readcheck.Beyond
}

// isLong reports whether the kernel may read thousands of bytes for a.
func isLong(a dynevent.Arg) bool { return isText(a) && !a.Short && !isTrial(a) }

func isTrial(a dynevent.Arg) bool { return a.String() == readcheck.Trial.String() }

// spare returns the spare of p, nil if p needs none. The kernel must run it after p. At a
// return this hides the caller from p, which only matters if nothing has it from the
// entry. If even the beginnings of the texts are too much, there is none.
func (s *Side) spare(both bool) *plan.Probe {
	p := s.probe
	if !s.fn.Target.Live || !p.Kind.AtFunction() || p.Side == dynevent.Return && !both || !slices.ContainsFunc(p.Args, isLong) {
		return nil
	}
	for words := mostSpareWords; words > 0; words /= 2 {
		for _, whole := range []bool{true, false} {
			if spare := s.spareOf(words, whole); s.refused(spare) == nil {
				spare.Event = s.eventName("__spare")
				return spare
			}
		}
	}
	s.Spareless = true
	s.out.Notes = append(s.out.Notes, "a call is not shown if its text is longer than about 4,000 bytes: there is no room to fetch less of it")
	return nil
}

// spareOf returns the spare that fetches so many words of each text and, if whole is set,
// further bytes of those with a limit.
func (s *Side) spareOf(words int, whole bool) *plan.Probe {
	p := s.probe
	spare := *p
	spare.Args, spare.Fields, spare.Spare, spare.Heads = nil, nil, nil, nil
	spare.SpareOf, spare.Comm, spare.Caller, spare.Stack = p, -1, -1, -1
	var tests []string
	var long []dynevent.Arg
	trial := slices.IndexFunc(p.Args, isTrial)
	for i, a := range p.Args {
		if !isLong(a) {
			spare.Args = append(spare.Args, a)
			continue
		}
		long = append(long, a)
		h := plan.Head{Arg: i, First: len(spare.Args), Sure: words * spareWord}
		var bytes []string
		for w := range words {
			word := s.headArg(a, w*spareWord)
			word.Name = unused(p, fmt.Sprintf("t%d_%d", i, w))
			spare.Args = append(spare.Args, word)
			for bit := 0; bit < 64; bit += 8 {
				bytes = append(bytes, fmt.Sprintf("%s & 0x%x", word.Name, uint64(0xff)<<bit))
			}
		}
		if n := p.Limit(i); whole && n > h.Sure {
			spare.Args = append(spare.Args, s.rest(a, i, h.Sure, min(n, mostHead))...)
		}
		h.Args = len(spare.Args) - h.First
		if trial >= 0 && s.fn.Target.Features.Keeps {
			h.End = &value.ReadCheck{Kind: value.Through, Args: []int{len(spare.Args)}}
			end := s.headArg(a, h.Sure-spareWord).Then(dynevent.Hop{Offset: readcheck.Beyond}).As(dynevent.Ustring)
			end.Name = unused(p, fmt.Sprintf("t%d_end", i))
			spare.Args = append(spare.Args, end)
		}
		spare.Heads = append(spare.Heads, h)
		tests = append(tests, "("+strings.Join(bytes, " && ")+")")
	}
	for i := range spare.Heads {
		if spare.Heads[i].End != nil {
			spare.Heads[i].End.Trial = slices.IndexFunc(spare.Args, isTrial)
		}
	}
	filters := []string{strings.Join(tests, " || ")}
	if len(tests) > 1 {
		filters[0] = "(" + filters[0] + ")"
	}
	for _, f := range s.filters {
		if len(plan.NamedIn(long, f)) == 0 {
			filters = append(filters, f)
		}
	}
	spare.Filter, spare.OnlyComm = strings.Join(filters, " && "), false
	return &spare
}

// headArg returns a fetcharg of the bytes of text a from byte at on.
func (s *Side) headArg(a dynevent.Arg, at int) dynevent.Arg {
	last := len(a.Hops) - 1
	hop := a.Hops[last]
	hop.Offset += int64(at)
	hop.User = hop.User || a.Type == dynevent.Ustring
	word := dynevent.Arg{Base: a.Base, Hops: a.Hops[:last], Span: a.Span}.Then(hop).As(dynevent.X64)
	word, _, _ = s.enc.Fitted(word)
	return word
}

// rest returns the arrays that fetch the bytes of text a, the arg i, from byte at to end.
func (s *Side) rest(a dynevent.Arg, i, at, end int) (args []dynevent.Arg) {
	for at < end {
		array := s.headArg(a, at)
		array.Count = min((end-at+spareWord-1)/spareWord, dynevent.MaxElements)
		array, _, _ = s.enc.Fitted(array)
		array.Name = unused(s.probe, fmt.Sprintf("t%d_at_%d", i, at))
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

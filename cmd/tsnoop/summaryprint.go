package main

import (
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"golang.org/x/term"
)

// whole prints what all calls since the start come to.
func (s *summing) whole(final bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	when := render.Period{From: s.start, To: s.last, Final: final}
	if s.now != nil {
		when.To = s.now()
	}
	s.print(sum(s.before, s.current), when)
}

// lap ends the current interval, prints what its calls come to and begins the
// next one. now is in ns.
func (s *summing) lap(now uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next(now)
}

// catchUp ends the interval of a recording that now is behind. Of a time
// without calls nothing is printed, for it may be long.
func (s *summing) catchUp(now uint64) {
	length := uint64(s.interval)
	if now < s.since || now-s.since < length {
		return
	}
	if !s.quiet {
		s.next(s.since + length)
	}
	s.since = now - (now-s.since)%length
}

func (s *summing) next(now uint64) {
	s.print(s.current, render.Period{From: s.since, To: now, Interval: true})
	for i := range s.current {
		s.before[i].Merge(&s.current[i])
		s.current[i].Reset()
	}
	s.since, s.quiet = now, true
}

// print writes sums, with an empty line between them and what is above and below.
func (s *summing) print(sums []calls.Summary, when render.Period) {
	width := 80
	if s.out.terminal {
		if w, _, err := term.GetSize(int(s.out.file.Fd())); err == nil && w > 0 {
			width = w
		}
	}
	s.idle()
	wanted := s.out.line(func(dst []byte) []byte {
		if s.json {
			return s.printer.AppendSummary(dst, sums, when, width)
		}
		if s.printed {
			dst = append(dst, '\n')
		}
		dst = s.printer.AppendSummary(dst, sums, when, width)
		if !s.only && !when.Final {
			dst = append(dst, '\n')
		}
		return dst
	})
	s.printed = true
	if !wanted && !s.gone {
		s.gone = true
		if s.stop != nil {
			s.stop()
		}
	}
}

func sum(a, b []calls.Summary) []calls.Summary {
	all := make([]calls.Summary, len(a))
	for i := range all {
		all[i].Merge(&a[i])
		all[i].Merge(&b[i])
	}
	return all
}

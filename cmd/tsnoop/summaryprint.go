package main

import (
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// whole prints what all calls since the start come to.
func (s *summing) whole(final bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what := render.Summary{From: s.start, To: s.last, Final: final}
	if s.now != nil {
		what.To = s.now()
	}
	what.Sums = sum(s.before, s.current)
	s.print(&what)
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
	s.print(&render.Summary{Sums: s.current, From: s.since, To: now, Interval: true})
	for i := range s.current {
		s.before[i].Merge(&s.current[i])
		s.current[i].Reset()
	}
	s.since, s.quiet = now, true
}

// print shows what calls came to.
func (s *summing) print(what *render.Summary) {
	what.Alone, what.Width = s.only, s.out.width()
	s.idle()
	wanted := s.out.line(func(dst []byte) []byte { return s.sink.Summary(dst, what) })
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

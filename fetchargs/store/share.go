package store

import (
	"errors"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
)

// A savedShare is what a probe has of an event of many functions.
type savedShare struct {
	Event  string `json:"event"`
	Glob   string `json:"glob"`
	Addr   uint64 `json:"addr"` // of the function, as its records have it
	Number int    `json:"number"`
}

func saveShare(s *plan.Share) *savedShare {
	if s == nil {
		return nil
	}
	return &savedShare{s.Of.Event, s.Of.Glob, s.Addr, s.Number}
}

// mostShares is more than the functions of any kernel.
const mostShares = 1 << 20

// load returns an error if the records of p cannot be a part of those of such an event.
func (s *savedShare) load(p *plan.Probe) error {
	shared := !p.Kind.Counted() && p.Kind.AtFunction()
	switch {
	case s == nil && !shared:
		return nil
	case s == nil || !shared || s.Number < 1 || s.Number > mostShares || p.Spare != nil || len(p.Symbols) != 1:
		return errors.New("impossible share of an event")
	}
	p.ShareIn(&plan.Many{Glob: s.Glob, Event: s.Event, Kind: p.Kind}, s.Addr, s.Number)
	for i := range p.Args {
		if _, ok := p.Shared(i); !ok {
			return errors.New("a value that an event of many functions cannot have")
		}
	}
	return nil
}

package store

import (
	"errors"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
)

type savedSpare struct {
	Event string            `json:"event"`
	Args  []savedArg        `json:"args"`
	Heads [][4]int          `json:"heads"` // as in Head
	Ends  []*savedReadCheck `json:"ends"`
}

func saveSpare(p *plan.Probe) *savedSpare {
	if p == nil {
		return nil
	}
	s := &savedSpare{Event: p.Event}
	for i := range p.Args {
		s.Args = append(s.Args, saveArg(&p.Args[i]))
	}
	for _, h := range p.Heads {
		s.Heads = append(s.Heads, [4]int{h.Arg, h.First, h.Args, h.Sure})
		s.Ends = append(s.Ends, saveReadCheck(h.End))
	}
	return s
}

var errSpare = errors.New("impossible spare")

// load returns an error if the spare breaks a rule that its use relies on.
func (s *savedSpare) load(of *plan.Probe) (*plan.Probe, error) {
	if s == nil {
		return nil, nil
	}
	p := *of
	p.Event, p.Args, p.Fields, p.Filter, p.OnlyComm, p.SpareOf = s.Event, nil, nil, "", false, of
	p.Comm, p.Caller, p.Stack = -1, -1, -1
	if len(s.Args) > dynevent.MaxArgs || len(s.Heads) > dynevent.MaxArgs || len(s.Ends) != len(s.Heads) {
		return nil, errSpare
	}
	for i := range s.Args {
		a, err := s.Args[i].load(of.Plan.Spec.Text)
		if err != nil {
			return nil, err
		}
		p.Args = append(p.Args, a)
	}
	for i, at := range s.Heads {
		h := plan.Head{Arg: at[0], First: at[1], Args: at[2], Sure: at[3]}
		if !hasArg(of, h.Arg) || !of.Args[h.Arg].IsString() || h.Args < 1 || !hasArg(&p, h.First) || h.Args > len(p.Args)-h.First || h.Sure < 1 {
			return nil, errSpare
		}
		for i := range p.Args[h.First : h.First+h.Args] {
			if p.Args[h.First+i].IsString() {
				return nil, errSpare
			}
		}
		if h.Sure > h.Size(&p) {
			return nil, errSpare
		}
		var err error
		if h.End, err = s.Ends[i].load(&p); err != nil {
			return nil, err
		}
		p.Heads = append(p.Heads, h)
	}
	return &p, nil
}

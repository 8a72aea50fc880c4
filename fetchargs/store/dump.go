package store

import (
	"errors"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// maxObject is the most bytes that an object may claim to have.
const maxObject = 1 << 30

var errDump = errors.New("impossible dump")

func (s *savedDump) load(p *plan.Probe) (*value.Extent, error) {
	d := &value.Extent{At: s.At, Args: s.Args, Off: s.Off, Addr: s.Addr}
	for _, w := range s.Windows {
		if w.Start < 0 || w.Start >= w.End || w.End > maxObject || w.Proof == nil {
			return nil, errDump
		}
		check, err := w.Proof.load(p)
		if err != nil {
			return nil, err
		}
		if len(check.Args) == 0 {
			return nil, errDump
		}
		d.Windows = append(d.Windows, value.Window{Range: value.Range{Start: w.Start, End: w.End}, ReadCheck: check})
	}
	for _, at := range s.Rest {
		d.Rest = append(d.Rest, value.Place{Part: at[0], Field: at[1]})
	}
	return d, nil
}

// checkDump returns an error if f is not within the object and the record.
func checkDump(p *plan.Probe, f *value.Field) error {
	d := f.Dump
	switch {
	case f.Size != 1, f.Whole < 0, f.Whole > maxObject, d.Off < -maxObject, d.Off > maxObject,
		d.At < 0, d.At > value.MostOfObject, f.Count > value.MostOfObject, f.Whole > 0 && d.At+f.Count > f.Whole, f.Whole == 0 && len(d.Rest) > 0,
		d.Args < 0, d.Args > len(p.Args), d.Args > 0 && (f.Arg < 0 || f.Arg > len(p.Args)-d.Args):
		return errDump
	}
	return nil
}

// checkRest returns an error if a dump continues in a field that is not the rest of
// a dump.
func checkRest(p *plan.Plan) error {
	for _, probe := range p.Probes {
		parts := p.Of(probe.Side)
		for i := range probe.Fields {
			d := probe.Fields[i].Dump
			if d == nil || len(d.Rest) == 0 {
				continue
			}
			if probe.Part != 0 {
				return errDump
			}
			for _, at := range d.Rest {
				if at.Part < 0 || at.Part >= len(parts) || at.Field < 0 || at.Field >= len(parts[at.Part].Fields) || !parts[at.Part].Fields[at.Field].IsRest() {
					return errDump
				}
			}
		}
	}
	return nil
}

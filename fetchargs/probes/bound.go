package probes

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// addBound adds the fetchargs of the length of a socket address, and the pointer to it.
func (s *Side) addBound(e encode.Encoded, f *value.Field) bool {
	if e.Length == nil {
		return true
	}
	f.Bound = &value.Bound{Length: -1, Unit: e.Length.Unit, Result: -1}
	if e.Length.Stored {
		f.Bound.Result, _ = s.line.Add(dynevent.Arg{Base: dynevent.Base{Kind: dynevent.Retval}, Type: dynevent.Number("s", 4)}, "result", e.Span)
	}
	if e.Length.Name == "" {
		return true
	}
	size, _ := btf.Size(e.Length.Route.Type)
	length := encode.Number(encode.Encoded{Route: e.Length.Route, Span: e.Span}, size, nil)
	own := length.Route.Arg().As(length.Type)
	arg, ok := s.line.Add(own, e.Length.Name, e.Span)
	if !ok {
		return false
	}
	f.Bound.Length = arg
	through := value.Field{Label: f.Label, Arg: arg}
	ok = s.addPointerChecks(length, &through)
	f.PointerChecks = through.PointerChecks
	return ok
}

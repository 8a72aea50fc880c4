package encode

import (
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Within returns an error if e is read past the end of the variable that it starts from.
func (e Encoded) Within(x spec.Expr) *spec.Error {
	p := e.Route
	if !p.OfVariable() || p.Symbol.Room == 0 {
		return nil
	}
	off, n := p.Off, e.Field.Size
	switch {
	case len(p.Hops) > 0:
		off, n = p.Hops[0].Offset, 8
	case e.Field.Encoding == value.Array:
		n *= e.Field.Count
	case e.Field.Encoding == value.Dumped:
		n = min(e.Field.Whole, value.MostOfObject)
	case e.Field.Encoding == value.String:
		n = 1
	}
	if off+int64(n) <= int64(p.Symbol.Room) {
		return nil
	}
	return spec.Errorf(x.Where(), "", "%s is read to byte %d, but the next symbol is %s after %s", x, off+int64(n), plural.Of(p.Symbol.Room, "byte"), p.Base.Words())
}

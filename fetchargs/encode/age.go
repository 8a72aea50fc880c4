package encode

import (
	"fmt"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Kernels keep some times in ns on a clock. An age is how long before the event
// such a time was. The kernel cannot subtract, so the probe fetches the time, and
// the decoder computes the age.

// encodeAge encodes a time on CLOCK_MONOTONIC or CLOCK_BOOTTIME.
func (r *Encoder) encodeAge(e Encoded, w cond.Want, f *value.Format) (Encoded, *spec.Error) {
	e.Route = lookThrough(e.Route)
	p := e.Route
	if p.Type != nil {
		_, is := btf.Strip(p.Type).(*btf.Int)
		if size, _ := btf.Size(p.Type); !is || size != 8 || p.BitSize > 0 {
			return e, doesNotFit(w.X, p.Type, f)
		}
	}
	e = Number(e, 8, f)
	e.Field.Encoding, e.Field.Boot = value.Age, p.Boot || f.Name == "agoboot"
	e.Use = fmt.Sprintf("age %v ", e.Field.Boot) // not that of a field that shows the time itself
	return e, nil
}

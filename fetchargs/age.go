package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Kernels keep some times in ns on a clock. An age is how long before the event
// such a time was. The kernel cannot subtract, so the probe fetches the time, and
// the decoder computes the age.

// encodeAge encodes a time on CLOCK_MONOTONIC or CLOCK_BOOTTIME.
func (r *resolver) encodeAge(e encoded, x spec.Expr, f *value.Format) (encoded, bool) {
	e.route = lookThrough(e.route)
	p := e.route
	if p.typ != nil {
		_, is := btf.Strip(p.typ).(*btf.Int)
		if size, _ := btf.Size(p.typ); !is || size != 8 || p.bitSize > 0 {
			r.Fail(x.Where(), "it is for times in ns of 64 bits, as start_time_ns of struct request", "the format %s does not fit %s, which is %s", f.Name, x, value.TypeName(p.typ))
			return e, false
		}
	}
	e = number(e, 8, f)
	e.field.Encoding, e.field.Boot = value.Age, p.boot || f.Name == "agoboot"
	return e, true
}

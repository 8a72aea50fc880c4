package fetchargs

import (
	"math/big"

	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

func (r *resolver) macros() *constants.Table { return constants.For(r.target.Arch.Name) }

func (s *selection) macros() *constants.Table { return constants.For(s.plan.Arch.Name) }

// macro returns the value of a macro of the user API that is compared with f. As in
// C, a value that sets the highest bit of a signed number is negative.
func macro(table *constants.Table, name string, f *value.Field) (*big.Int, bool) {
	v, ok := table.Value(name)
	if !ok {
		return nil, false
	}
	n := big.NewInt(v)
	width := uint(8 * f.Size)
	switch {
	case v < 0 && !f.Signed && f.Size == 8:
		n.SetUint64(uint64(v))
	case f.Signed && f.Encoding == value.Integer && n.BitLen() == int(width) && v > 0:
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), width))
	}
	return n, true
}

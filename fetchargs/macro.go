package fetchargs

import (
	"math/big"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

func (r *resolver) macros() *constants.Table { return r.target.macros() }

func (s *selection) macros() *constants.Table { return s.plan.macros }

// macros returns the macros of the machine, and the enums that the kernel has for them.
func (t *Target) macros() *constants.Table {
	if t.table == nil {
		t.table = constants.For(t.Arch.Name).ForKernel(func(constant string) []constants.Constant {
			return enumConstants(t.Kernel.EnumWith(constant))
		})
	}
	return t.table
}

// enumConstants returns the constants of e, nil if e is nil.
func enumConstants(e *btf.Enum) []constants.Constant {
	if e == nil {
		return nil
	}
	all := make([]constants.Constant, len(e.Values))
	for i, v := range e.Values {
		all[i] = constants.Constant{Name: v.Name, Value: v.Value}
	}
	return all
}

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

// macros returns a function that returns the macros of an architecture, with the enums of
// the recorded kernel.
func (s *saved) macros() func(arch string) *constants.Table {
	enum := func(constant string) []constants.Constant { return s.Enums[constant] }
	tables := map[string]*constants.Table{}
	return func(arch string) *constants.Table {
		if tables[arch] == nil {
			tables[arch] = constants.For(arch).ForKernel(enum)
		}
		return tables[arch]
	}
}

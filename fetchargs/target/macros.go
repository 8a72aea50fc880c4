package target

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

// Macros returns the macros of the machine, and the enums that the kernel has for them.
func (t *Target) Macros() *constants.Table {
	if t.table == nil {
		t.table = constants.For(t.Arch.Name).ForKernel(func(constant string) []constants.Constant {
			enums, err := t.Kernel.Constant(constant)
			if err != nil {
				return nil
			}
			return enumConstants(enums[0])
		})
	}
	return t.table
}

func enumConstants(e *btf.Enum) []constants.Constant {
	all := make([]constants.Constant, len(e.Values))
	for i, v := range e.Values {
		all[i] = constants.Constant{Name: v.Name, Value: v.Value}
	}
	return all
}

package store

import "github.com/tsnoop/tsnoop/fetchargs/constants"

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

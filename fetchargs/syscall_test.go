package fetchargs

import (
	"slices"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

// The sets that the table of system calls names are known.
func TestSyscallSets(t *testing.T) {
	known := constants.SetNames()
	n := 0
	for name, proto := range syscallTable() {
		for _, p := range proto.params {
			if p.Type == "" || p.Name == "" {
				t.Errorf("%s has the parameter %q of type %q", name, p.Name, p.Type)
			}
			if p.set != "" && !slices.Contains(known, p.set) {
				t.Errorf("%s: no set %q, of %s", name, p.set, p.Name)
			}
			if p.set != "" {
				n++
			}
		}
	}
	if len(syscallTable()) < 370 || n < 100 {
		t.Errorf("%d system calls, %d sets", len(syscallTable()), n)
	}
}

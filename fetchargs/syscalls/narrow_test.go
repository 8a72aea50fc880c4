package syscalls

import (
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TestSyscalls32: the table of 32-bit programs' calls is about calls of the other table,
// and names sets and FORMATs that are known.
func TestSyscalls32(t *testing.T) {
	known := constants.SetNames()
	others := 0
	for key, c := range narrowTable() {
		name, _, _ := strings.Cut(key, "@")
		if _, ok := table()[name]; !ok && name != "-" {
			t.Errorf("there is no system call %s", name)
		}
		if !c.Never && !c.Plain && c.Via == "" && len(c.Others) == 0 {
			t.Errorf("nothing is said of %s", key)
		}
		for _, other := range c.Others {
			others++
			if other.Proto == nil {
				continue
			}
			for _, p := range other.Proto.Params {
				if p.Type == "" || p.Name == "" || p.Own != "" && !slices.Contains(known, p.Own) && value.FormatNamed(p.Own) == nil {
					t.Errorf("%s has the parameter %+v", other.Name, p)
				}
			}
		}
	}
	if others < 80 {
		t.Errorf("only %d functions", others)
	}
}

package fetchargs

import (
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// What the table of 32-bit programs' calls says is about calls of the other table, and
// names sets and FORMATs that are known.
func TestSyscalls32(t *testing.T) {
	known := constants.SetNames()
	others := 0
	for key, c := range narrowCalls() {
		name, _, _ := strings.Cut(key, "@")
		if _, ok := syscallTable()[name]; !ok && name != "-" {
			t.Errorf("there is no system call %s", name)
		}
		if !c.never && !c.plain && c.via == "" && len(c.others) == 0 {
			t.Errorf("nothing is said of %s", key)
		}
		for _, other := range c.others {
			others++
			if other.proto == nil {
				continue
			}
			for _, p := range other.proto.params {
				if p.Type == "" || p.Name == "" || p.own != "" && !slices.Contains(known, p.own) && value.FormatNamed(p.own) == nil {
					t.Errorf("%s has the parameter %+v", other.name, p)
				}
			}
		}
	}
	if others < 80 {
		t.Errorf("only %d functions", others)
	}
}

package fetchargs

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// counts reports whether count is "", "return", a number or a parameter of the call.
func (p *syscallProto) counts(count string) bool {
	_, err := strconv.Atoi(count)
	return count == "" || count == "return" || err == nil || slices.ContainsFunc(p.params, func(p SyscallParam) bool { return p.Name == count })
}

// The sets and FORMATs that the table of system calls names are known.
func TestSyscallSets(t *testing.T) {
	known := constants.SetNames()
	n := 0
	for name, proto := range syscallTable() {
		for _, p := range proto.params {
			if p.Type == "" || p.Name == "" {
				t.Errorf("%s has the parameter %q of type %q", name, p.Name, p.Type)
			}
			if p.own != "" && !slices.Contains(known, p.own) && value.FormatNamed(p.own) == nil {
				t.Errorf("%s: no set %q, of %s", name, p.own, p.Name)
			}
			if p.own != "" {
				n++
			}
			if c := p.content; c != nil && (!strings.HasSuffix(p.Type, "*") || !proto.counts(c.count)) {
				t.Errorf("%s has no %q for %s, which is %s", name, c.count, p.Name, p.Type)
			}
		}
	}
	if len(syscallTable()) < 370 || n < 100 {
		t.Errorf("%d system calls, %d sets", len(syscallTable()), n)
	}
}

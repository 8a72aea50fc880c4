package syscalls

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// counts reports whether count is "", "return", a number or a parameter of the call.
func (p *Proto) counts(count string) bool {
	_, err := strconv.Atoi(count)
	return count == "" || count == "return" || err == nil || slices.ContainsFunc(p.Params, func(p Param) bool { return p.Name == count })
}

// The sets and FORMATs that the table of system calls names are known.
func TestSyscallSets(t *testing.T) {
	known := constants.SetNames()
	n := 0
	for name, proto := range table() {
		for i, p := range proto.Params {
			if p.Own == "sockaddr" && i+1 == len(proto.Params) {
				t.Errorf("%s has no length of %s", name, p.Name)
			}
			if p.Type == "" || p.Name == "" {
				t.Errorf("%s has the parameter %q of type %q", name, p.Name, p.Type)
			}
			if p.Own != "" && !slices.Contains(known, p.Own) && value.FormatNamed(p.Own) == nil {
				t.Errorf("%s: no set %q, of %s", name, p.Own, p.Name)
			}
			if p.Own != "" {
				n++
			}
			if c := p.Content; c != nil && (!strings.HasSuffix(p.Type, "*") || !proto.counts(c.Count)) {
				t.Errorf("%s has no %q for %s, which is %s", name, c.Count, p.Name, p.Type)
			}
		}
	}
	if len(table()) < 370 || n < 100 {
		t.Errorf("%d system calls, %d sets", len(table()), n)
	}
}

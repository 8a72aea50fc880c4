package proc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseBlacklist(t *testing.T) {
	const file = "0xffffffff81c00040-0xffffffff81c00110\tdefault_do_nmi\n0xffffffff81c01c50-0xffffffff81c01cd0\tint3_selftest_ip\n"
	want := map[string]bool{"default_do_nmi": true, "int3_selftest_ip": true}
	if diff := cmp.Diff(want, ParseBlacklist(strings.NewReader(file))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

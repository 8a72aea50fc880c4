package flags_test

import (
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
)

// TestIdlePairs has options that cannot act together refused, in any order, with a message
// that names the one that would be ignored.
func TestIdlePairs(t *testing.T) {
	const spec = "vfs_read(count, return)"
	idle := map[string][]string{
		"--emit": {
			"--count=1", "--duration=1", "--kstack", "--buffer=1M", "--pages=9", "--on-tamper=off", "--max-rate=9",
			"--summary", "--interval=1", "--sort=calls", "--by=comm", "--hist=count", "--heat", "--tree", "--group=task",
		},
		"--summary=only": {"--kstack", "--tree", "--group=task"},
		"--heat":         {"--kstack", "--tree", "--group=task"},
		"--reader=text":  {"--kstack"},
		"--explain":      {"--emit"},
	}
	for flag, others := range idle {
		for _, other := range others {
			for _, args := range [][]string{{flag, other, spec}, {other, flag, spec}} {
				_, err := flags.Parse(args)
				if err == nil {
					t.Errorf("%q is accepted", args)
					continue
				}
				name := strings.TrimLeft(strings.Split(other, "=")[0], "-")
				if !strings.Contains(err.Error(), name) && name != "group" && !strings.Contains(err.Error(), "--interval needs") {
					t.Errorf("%q: %v, which does not name --%s", args, err, name)
				}
			}
		}
	}
	for _, args := range [][]string{
		{"--summary", "--kstack", spec}, {"--summary", "--tree", spec}, {"--summary", "--heat", "--tree", spec},
		{"--by=stack", "--summary=only", spec}, {"replay", "-i", "1", "--summary", "a.dat"}, {"--emit", "--maxactive=9", spec},
	} {
		if _, err := flags.Parse(args); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

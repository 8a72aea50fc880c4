package main

import (
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/shell"
)

// TestFirst has tsnoop say what somebody sees who calls it for the first time, and looks
// whether the lines can be read. That they work the tests on kernels see.
func TestFirst(t *testing.T) {
	for _, columns := range []int{80, 200} {
		shown := onTerminal(t, columns, true, nil)
		t.Logf("%d columns:\n%s", columns, shown)
		tries := 0
		for line := range strings.Lines(shown) {
			if len([]rune(line)) > 80 && !strings.HasPrefix(line, "  tsnoop") && !strings.HasPrefix(line, "  sudo") {
				t.Errorf("%d columns: %s", len([]rune(line))-1, line)
			}
			if _, command, ok := strings.Cut(line, "tsnoop "); !ok || !strings.HasPrefix(line, "  ") {
				continue
			} else if words := shell.Parse(command+" ", "tsnoop").Words; len(words) > 0 {
				if _, err := flags.Parse(words[:len(words)-1]); err != nil {
					t.Errorf("%s: %v", line, err)
				}
				tries++
			}
		}
		if !strings.Contains(shown, "'tsnoop help'") || tries < 1 {
			t.Errorf("%d lines in\n%s", tries, shown)
		}
	}
}

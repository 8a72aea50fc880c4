//go:build vm

package suite

import (
	"io"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	tty "github.com/tsnoop/tsnoop/testdata/terminal"
)

// TestVMInPlace: on a terminal the table of each interval replaces the one before, and the
// last one, of all calls, is below. A dumb terminal gets them one below the other.
func TestVMInPlace(t *testing.T) {
	for _, kind := range []string{"xterm", "dumb"} {
		master, slave, err := tty.Open(80)
		if err != nil {
			t.Fatal(err)
		}
		defer master.Close()
		cmd := exec.Command("tsnoop", "--summary=only", "-i", "200ms", "generic_file_llseek(offset, return)")
		cmd.Env = append(cmd.Environ(), "TERM="+kind, "NO_COLOR=1")
		cmd.Stdout = slave
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		slave.Close()
		var shown string
		for strings.Count(shown, "Summary of the last") < 2 {
			more := readUntil(master, "Summary of the last")
			if len(more) == 0 {
				t.Fatalf("TERM=%s ended after %q", kind, shown)
			}
			shown += string(more)
		}
		cmd.Process.Signal(syscall.SIGINT)
		rest, _ := io.ReadAll(master)
		shown += string(rest)
		cmd.Wait()
		tables := strings.Count(shown, "Summary of the last")
		above, below, _ := strings.Cut(shown, "Summary of all")
		switch {
		case kind == "dumb":
			if strings.Contains(shown, "\x1b") {
				t.Errorf("a dumb terminal gets %q", shown)
			}
		case len(regexp.MustCompile(`\x1b\[HSummary of the last .*\x1b\[K\r\n`).FindAllString(shown, -1)) != tables:
			t.Errorf("not all tables are in place: %q", shown)
		case !strings.HasSuffix(strings.TrimSpace(above), "\x1b[J") || strings.Contains(below, "\x1b"):
			t.Errorf("the last table is not below: %q", shown)
		}
	}
}

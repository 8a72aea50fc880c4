//go:build vm

package suite

import (
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	tty "github.com/tsnoop/tsnoop/testdata/terminal"
)

// onTerminal runs a line by a shell on a terminal of that many columns, and returns what
// it shows then.
func onTerminal(t *testing.T, columns int, line string) string {
	t.Helper()
	master, slave, err := tty.Open(columns)
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	shown, _ := io.ReadAll(master) // its end is an error: EIO
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s: %v", line, err)
	}
	text := strings.ReplaceAll(string(shown), "\r\n", "\n")
	t.Logf("%d columns\n# %s\n%s", columns, line, strings.ReplaceAll(text, "\x1b", "ESC"))
	return text
}

// TestVMFirstMinute is somebody who calls tsnoop for the first time, and runs what it
// says: on a narrow terminal and on a wide one. The log is what they show.
func TestVMFirstMinute(t *testing.T) {
	offered := regexp.MustCompile(`(?m)^  (tsnoop .*)$`)
	for _, columns := range []int{80, 200} {
		screen := onTerminal(t, columns, "tsnoop")
		lines := offered.FindAllStringSubmatch(screen, -1)
		if len(lines) != 3 || !strings.Contains(screen, "on this host:\n") {
			t.Fatalf("%q", lines)
		}
		for i, line := range lines {
			if i == 1 && columns > 80 {
				continue // a table, the same for all
			}
			shown := onTerminal(t, columns, "NO_COLOR=1 "+strings.Replace(line[1], "-d 10s", "-d 1s", 1))
			if !strings.Contains(shown, "do_sys_openat2") && !strings.Contains(shown, "vfs_write") {
				t.Errorf("%s shows no call", line[1])
			}
		}
	}
}

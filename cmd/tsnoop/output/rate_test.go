package output

import (
	"fmt"
	"os"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"golang.org/x/sys/unix"
)

// TestRate: on a terminal the limit is what somebody can read there.
func TestRate(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	pipe, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	defer write.Close()
	defer func(was *os.File) { os.Stdout = was }(os.Stdout)
	for _, tt := range []struct {
		stdout *os.File
		args   []string
		want   int
	}{
		{terminal, []string{"f"}, 10_000},
		{terminal, []string{"-o", "-", "f"}, 10_000},
		{terminal, []string{"--max-rate", "7", "f"}, 7},
		{terminal, []string{"--max-rate", "0", "f"}, 0},
		{terminal, []string{"-o", "file", "f"}, 1_000_000},
		{terminal, []string{"--summary=only", "f"}, 1_000_000},
		{terminal, []string{"record", "f"}, 1_000_000},
		{write, []string{"f"}, 1_000_000},
	} {
		os.Stdout = tt.stdout
		o, err := flags.Parse(tt.args)
		if err != nil {
			t.Fatal(err)
		}
		if got := MaxRate(o); got != tt.want {
			t.Errorf("%q: %d, want %d", tt.args, got, tt.want)
		}
	}
}

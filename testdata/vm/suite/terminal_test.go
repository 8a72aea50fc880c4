//go:build vm

package suite

import (
	"fmt"
	"io"
	"os"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// terminal is start with a pseudo-terminal.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	out, err := os.Create(ts.MkAbs("out"))
	ts.Check(err)
	master, slave, err := openTerminal()
	ts.Check(err)
	go func() {
		io.Copy(out, master) // ends when nobody has the slave any more
		out.Close()
	}()
	untilArmed(ts, launch(ts, args, slave))
}

// openTerminal makes a pseudo-terminal. See pts(4).
func openTerminal() (master, slave *os.File, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	fd := int(master.Fd())
	if err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	return master, slave, err
}

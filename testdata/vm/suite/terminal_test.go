//go:build vm

package suite

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

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

// readUntil reads from a terminal until it shows some text, or nobody has it any more.
func readUntil(master *os.File, text string) (shown []byte) {
	b := make([]byte, 1024)
	for !bytes.Contains(shown, []byte(text)) {
		n, err := master.Read(b)
		shown = append(shown, b[:n]...)
		if err != nil {
			break
		}
	}
	return shown
}

// TestVMLastLine: on a terminal it is said why no call comes, when none has come for a
// while, and the last line of a live trace has counted what was shown. The program that is
// traced waits for the former.
func TestVMLastLine(t *testing.T) {
	master, slave, err := openTerminal()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	out, name := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "go")
	if err := unix.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	fifo, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer fifo.Close()
	cmd := exec.Command("tsnoop", "-o", out, "--group", "task", `do_sys_openat2(filename, return) if filename ~ "/tmp/not*"`,
		"--", "/bin/sh", "-c", "read word <"+name+"; exec load times 1203 open /tmp/not.there")
	cmd.Stdout, cmd.Stderr = slave, slave
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	late := time.AfterFunc(patience, func() { fifo.WriteString("go\n") })
	shown := readUntil(master, "no call yet: ")
	late.Stop()
	fifo.WriteString("go\n")
	rest, _ := io.ReadAll(master) // its end is an error: EIO
	shown = append(shown, rest...)
	cmd.Wait()
	if !regexp.MustCompile(`tsnoop: no call yet: do_sys_openat2[: ]`).Match(shown) {
		t.Errorf("the terminal does not say why no call comes: %q", shown)
	}
	t.Logf("%s", shown)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "= -2 (ENOENT)"); n != 1203 {
		t.Errorf("%d calls are shown", n)
	}
	if !regexp.MustCompile(`tsnoop: 1,203 calls, 1,203 errors \(1,203 ENOENT\), none lost, in [0-9.]+m?s\r\n$`).Match(shown) {
		t.Errorf("the terminal shows %q", shown)
	}
}

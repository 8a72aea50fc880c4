//go:build vm

package tracefs_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	. "github.com/tsnoop/tsnoop/tracefs"
	"golang.org/x/sys/unix"
)

// nobodyChild looks for the tracing directory as another user.
func nobodyChild() {
	err := unix.Setresuid(65534, 65534, 65534)
	if err == nil {
		_, err = Find()
	}
	fmt.Println(err)
	os.Exit(0)
}

// child starts this program again to do something else, and returns when it is
// ready; what comes on its standard input ends it.
func child(t *testing.T, what string, cloneflags uintptr) (cmd *exec.Cmd, in io.WriteCloser, line string) {
	t.Helper()
	exe, err := os.Executable()
	must(t, "Executable", err)
	cmd = exec.Command(exe)
	cmd.Env = append(os.Environ(), "TSNOOP_VM_CHILD="+what)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &unix.SysProcAttr{Cloneflags: cloneflags}
	out, err := cmd.StdoutPipe()
	must(t, "pipe", err)
	in, err = cmd.StdinPipe()
	must(t, "pipe", err)
	must(t, "Start", cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	line, err = bufio.NewReader(out).ReadString('\n')
	must(t, "child", err)
	return cmd, in, strings.TrimSpace(line)
}

// sessionChild traces until it is killed.
func sessionChild() {
	fsys, err := Find()
	if err == nil {
		var s *Session
		if s, err = fsys.NewSession(Options{IgnoreSelf: true}); err == nil {
			for i := range 3 {
				err = errors.Join(err, s.Define(KprobeEvents, fmt.Sprintf("p:%s/e%d_x7q %s %s", s.Group(), i, place, nameArg)))
			}
			err = errors.Join(err, s.Enable(context.Background()))
			fmt.Println(s.Group(), err)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0) // without Close
}

// openChild opens a file, and has a child of its own open another.
func openChild() {
	fmt.Println(os.Getpid())
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err == nil {
		touch("/tmp/child")
		exec.Command("/bin/cat", "/tmp/grandchild").Run()
	}
	os.Exit(0)
}

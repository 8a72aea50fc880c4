package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// StdoutClosed reports whether a shell has started this program with its stdout closed, by >&-.
// Go's runtime opens /dev/null in its place, for reading and writing. A shell opens it only for
// writing, unless its command has 1<>/dev/null, and what it has inherited is also its own
// stdout. Other programs may have opened it as Go does: of what they start this is not known,
// and it is false. A <> in the file of a script is not looked for.
func StdoutClosed() bool {
	flags, err := unix.FcntlInt(1, unix.F_GETFL, 0)
	if err != nil {
		return err == unix.EBADF
	}
	if flags&unix.O_ACCMODE != unix.O_RDWR || !isNull("/proc/self/fd/1") {
		return false
	}
	parent := fmt.Sprintf("/proc/%d", os.Getppid())
	exe, err := os.Readlink(parent + "/exe")
	if err != nil || !isShell(filepath.Base(exe)) || isNull(parent+"/fd/1") {
		return false
	}
	command, err := os.ReadFile(parent + "/cmdline")
	return err == nil && !bytes.Contains(command, []byte("<>"))
}

// isNull reports whether a path is the device /dev/null, whose numbers are ABI: see
// Documentation/admin-guide/devices.txt.
func isNull(path string) bool {
	var st unix.Stat_t
	return unix.Stat(path, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR && uint64(st.Rdev) == unix.Mkdev(1, 3)
}

// isShell reports whether a program is a shell, by its name: bash, busybox, ksh93.
func isShell(name string) bool {
	return name == "busybox" || strings.HasSuffix(strings.TrimRight(name, "0123456789."), "sh")
}

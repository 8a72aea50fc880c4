package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// createFile creates a file for data, or truncates an existing one. The data has kernel
// addresses and shows what all users do, so only the user may read a new file. A
// symbolic link that another user has created is not followed; the user's own links
// are, and so are those of root, such as /dev/stdout.
func createFile(name string) (*os.File, error) {
	const flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	f, err := os.OpenFile(name, flags|unix.O_NOFOLLOW, 0o600)
	if !errors.Is(err, unix.ELOOP) {
		return f, err
	}
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); info.Mode().Type() == fs.ModeSymlink && ok && owner.Uid != 0 && int(owner.Uid) != os.Geteuid() {
		return nil, fmt.Errorf("%s is a link that user %d has put there: it is not followed", name, owner.Uid)
	}
	return os.OpenFile(name, flags, 0o600)
}

package main

import "golang.org/x/sys/unix"

// openNull is open(2) of no name at all.
func openNull() error {
	at := unix.AT_FDCWD
	unix.Syscall6(unix.SYS_OPENAT, uintptr(at), 0, unix.O_RDONLY, 0, 0, 0)
	return nil
}

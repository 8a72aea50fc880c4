package main

import (
	"net"
	"strconv"

	"golang.org/x/sys/unix"
)

// openNull is open(2) of no name at all.
func openNull() error {
	at := unix.AT_FDCWD
	unix.Syscall6(unix.SYS_OPENAT, uintptr(at), 0, unix.O_RDONLY, 0, 0, 0)
	return nil
}

// udp6 sends a datagram over IPv6's loopback with so many bytes each.
func udp6(sizes []string) error {
	to, err := net.ListenPacket("udp6", "[::1]:0")
	if err != nil {
		return err
	}
	defer to.Close()
	from, err := net.Dial("udp6", to.LocalAddr().String())
	if err != nil {
		return err
	}
	defer from.Close()
	for _, s := range sizes {
		n, err := strconv.Atoi(s)
		if err != nil {
			return err
		}
		if _, err := from.Write(make([]byte, n)); err != nil {
			return err
		}
	}
	return nil
}

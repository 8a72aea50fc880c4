package main

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// boundNames are socket addresses as bind(2) is given them, as long as the call says.
var boundNames = []string{
	"", "\x01", "\x01\x00", "\x02\x00\x00\x50\x7f", "\x02\x00\x00\x00\x7f\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00",
	"\x01\x00/tmp/", "\x01\x00/no/dir/s\x00", "\x01\x00\x00a\x00b", "\x01\x00\x00\x00\x00", "\x0a\x00\x00\x50",
}

// sockets makes calls with addresses of many lengths. Memory after an address looks like
// more of it.
func sockets() error {
	for _, name := range boundNames {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		bind(fd, name)
		unix.Close(fd)
	}
	listener, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return err
	}
	if err := bind(listener, "\x01\x00\x00server"); err != 0 {
		return err
	}
	if err := unix.Listen(listener, 1); err != nil {
		return err
	}
	client, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	accept(listener) // there is nobody
	if err := bind(client, "\x01\x00\x00client"); err != 0 {
		return err
	}
	if err := unix.Connect(client, &unix.SockaddrUnix{Name: "@server"}); err != nil {
		return err
	}
	accept(listener)
	return datagrams()
}

// datagrams sends one to itself, over IPv4, and receives it.
func datagrams() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return err
	}
	to := &unix.SockaddrInet4{Port: 4660, Addr: [4]byte{127, 0, 0, 1}}
	if err := unix.Bind(fd, to); err != nil {
		return err
	}
	if err := unix.Sendto(fd, []byte("12345"), 0, to); err != nil {
		return err
	}
	receive(fd)
	receive(fd) // there is nothing
	return nil
}

// memory returns memory that holds b, and after it a path.
func memory(b string) (p *byte) {
	m := make([]byte, 256)
	copy(m[copy(m, b):], "/more/of/it")
	return &m[0]
}

func bind(fd int, name string) unix.Errno {
	_, _, err := unix.Syscall(unix.SYS_BIND, uintptr(fd), uintptr(unsafe.Pointer(memory(name))), uintptr(len(name)))
	return err
}

func accept(fd int) {
	length := int32(100)
	unix.Syscall6(unix.SYS_ACCEPT4, uintptr(fd), uintptr(unsafe.Pointer(memory("\x01\x00/old"))), uintptr(unsafe.Pointer(&length)), 0, 0, 0)
}

func receive(fd int) {
	length, b := int32(100), make([]byte, 77)
	unix.Syscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), 77, 0, uintptr(unsafe.Pointer(memory("\x01\x00/old"))), uintptr(unsafe.Pointer(&length)))
}

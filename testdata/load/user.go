package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// userCalls makes system calls with memory of which it is known whether it is mapped:
//
//	write=TEXT     from a buffer that holds TEXT; the size is 1000 more than that of TEXT
//	write-absent   from a page that was never touched
//	write-gone     from one that was touched and given back (MADV_DONTNEED)
//	write-end=TEXT from a buffer at the end of a page; the next page was never touched
//	connect, connect6    to 10.11.12.13:4660, [fe80::1]:4660
//	connect-half   only the first 8 bytes of the address are mapped
//	connect-absent
//	bind=4, bind=6, bind=PATH  to those addresses, or a Unix address
//	send=TEXT      sendmsg(2) of one iovec
//	send-noiov     the iovec is on a page that was never touched
//	send-absent
//	sleep=NS, sleep-absent
//	open=NAME, open-absent  with O_NOCTTY, which nothing else here uses
//	open-mapped=NAME  the name is in a mapped file whose page was not touched
//	open-end=NAME  the name is at the end of a page; the next page was never touched
//	open-cut=NAME  the name has no NUL before the end of its page
func userCalls(words []string) error {
	u, err := newUserMemory()
	if err != nil {
		return err
	}
	defer u.close()
	for _, word := range words {
		what, text, _ := strings.Cut(word, "=")
		if err := u.call(what, text); err != nil {
			return fmt.Errorf("%s: %w", word, err)
		}
	}
	return nil
}

type userMemory struct {
	null, socket int
	maps         [][]byte
}

func newUserMemory() (*userMemory, error) {
	null, err := unix.Open("/dev/null", unix.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	return &userMemory{null: null, socket: socket}, err
}

func (u *userMemory) close() {
	unix.Close(u.null)
	unix.Close(u.socket)
	for _, m := range u.maps {
		unix.Munmap(m)
	}
}

// pages maps n pages that were never touched.
func (u *userMemory) pages(n int) []byte {
	size := os.Getpagesize()
	m, err := unix.Mmap(-1, 0, n*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		panic(err)
	}
	unix.Madvise(m, unix.MADV_NOHUGEPAGE)
	u.maps = append(u.maps, m)
	return m
}

func (u *userMemory) absent() uintptr { return pointer(u.pages(1)) }

// gone returns a page that held plausible data and was given back.
func (u *userMemory) gone() uintptr {
	m := u.pages(1)
	copy(m, "gone gone gone gone")
	unix.Madvise(m, unix.MADV_DONTNEED)
	return pointer(m)
}

// mapped returns a page of a file that holds b. The page was not touched.
func (u *userMemory) mapped(b []byte) uintptr {
	f, err := os.CreateTemp("", "mapped")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	f.Write(b)
	m, err := unix.Mmap(int(f.Fd()), 0, len(b), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	u.maps = append(u.maps, m)
	return pointer(m)
}

// here returns a page that is mapped and holds b.
func (u *userMemory) here(b []byte) uintptr {
	m := u.pages(1)
	m[0] = 0
	copy(m, b)
	return pointer(m)
}

// end returns the address of the first n bytes of b, at the end of a page. The next page
// was never touched.
func (u *userMemory) end(b []byte, n int) uintptr {
	m := u.pages(2)
	at := os.Getpagesize() - n
	copy(m[at:at+n], b)
	return pointer(m[at:])
}

func (u *userMemory) call(what, text string) error {
	call, where, _ := strings.Cut(what, "-")
	switch call {
	case "write":
		addr := u.place(where, []byte(text))
		unix.Syscall(unix.SYS_WRITE, uintptr(u.null), addr, uintptr(1000+len(text)))
	case "connect":
		addr := u.place(where, sockaddr4)
		unix.Syscall(unix.SYS_CONNECT, uintptr(u.socket), addr, uintptr(len(sockaddr4)))
	case "connect6":
		unix.Syscall(unix.SYS_CONNECT, uintptr(u.socket), u.place(where, sockaddr6), uintptr(len(sockaddr6)))
	case "bind":
		b := append([]byte{unix.AF_UNIX, 0}, text...)
		switch text {
		case "4":
			b = sockaddr4
		case "6":
			b = sockaddr6
		}
		unix.Syscall(unix.SYS_BIND, uintptr(u.socket), u.place(where, b), uintptr(len(b)))
	case "send":
		u.send(where, text)
	case "sleep":
		var ns int64
		fmt.Sscan(text, &ns)
		ts := binary.LittleEndian.AppendUint64(make([]byte, 8), uint64(ns))
		unix.Syscall(unix.SYS_NANOSLEEP, u.place(where, ts), 0, 0)
	case "open":
		fd, _, errno := unix.Syscall6(unix.SYS_OPENAT, ^uintptr(0)-99, u.place(where, append([]byte(text), 0)), unix.O_NOCTTY, 0, 0, 0)
		if errno == 0 {
			unix.Close(int(fd))
		}
	default:
		return fmt.Errorf("unknown")
	}
	runtime.KeepAlive(u)
	return nil
}

func (u *userMemory) place(where string, b []byte) uintptr {
	switch where {
	case "absent":
		return u.absent()
	case "gone":
		return u.gone()
	case "end":
		return u.end(b, len(b))
	case "cut":
		return u.end(b, len(b)-1)
	case "mapped":
		return u.mapped(b)
	case "half":
		return u.end(b, 8)
	}
	return u.here(b)
}

// send makes sendmsg(2) fail, since the socket is not connected; the kernel has read
// all of the message by then.
func (u *userMemory) send(where, text string) {
	base := u.here([]byte(text))
	iov := binary.LittleEndian.AppendUint64(nil, uint64(base))
	iov = binary.LittleEndian.AppendUint64(iov, uint64(len(text)))
	at := u.here(iov)
	if where == "noiov" {
		at = u.absent()
	}
	b := make([]byte, 56) // struct user_msghdr
	binary.LittleEndian.PutUint64(b[16:], uint64(at))
	binary.LittleEndian.PutUint64(b[24:], 1)
	addr := u.here(b)
	if where == "absent" {
		addr = u.absent()
	}
	unix.Syscall(unix.SYS_SENDMSG, uintptr(u.socket), addr, 0)
}

var (
	sockaddr4 = []byte{2, 0, 0x12, 0x34, 10, 11, 12, 13, 0, 0, 0, 0, 0, 0, 0, 0}
	sockaddr6 = []byte{10, 0, 0x12, 0x34, 0, 0, 0, 7, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 9, 0, 0, 0}
)

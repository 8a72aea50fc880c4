package main

import (
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// contents makes system calls with known structs and data in memory, which most of them
// refuse because of their descriptor, -1. Memory after a piece of data is never part of
// it, or is not mapped.
func contents() error {
	pages, err := unix.Mmap(-1, 0, 3*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	low := uintptr(unsafe.Pointer(&pages[0]))
	end := low + 2*4096
	if _, _, err := unix.RawSyscall(unix.SYS_MUNMAP, end, 4096, 0); err != 0 {
		return err
	}
	put := func(at uintptr, text string) uintptr {
		copy(pages[at-low:], text)
		return at
	}
	long := strings.Repeat("0123456789", 4)
	fill := strings.Repeat("#", 4096)
	put(low, fill+fill)

	write := func(at, n uintptr) { unix.RawSyscall(unix.SYS_WRITE, none, at, n) }
	write(put(low, "abcdef"), 2)
	write(put(low, long), 32)
	write(low, 33)
	write(put(low+4090, "over the page"), 13) // from one page to the next
	write(put(end-3, "end"), 3)               // where memory ends
	write(put(end-40, long), 40)
	write(put(end-20, "only its beginning.."), 30)
	write(put(low, "a\x00b\xff\n"), 5)
	write(low, 0)
	write(0, 7)
	write(16, 8)
	write(low, none)

	number := func(at uintptr, x ...uint64) uintptr {
		for i, x := range x {
			*(*uint64)(unsafe.Pointer(&pages[at-low+uintptr(8*i)])) = x
		}
		return at
	}
	sleep := func(at uintptr) { unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, 77, 0, at, 0, 0, 0) }
	sleep(number(low, 3, 1234))
	sleep(number(end-16, 5, 6))
	sleep(end - 8) // only half of it is mapped
	sleep(0)
	writev := func(n uintptr) { unix.RawSyscall(unix.SYS_WRITEV, none, low, n) }
	number(low, 0x1000, 1, 0x2000, 2, 0x3000, 3)
	writev(2)
	writev(1)
	writev(0)
	writev(100)
	*(*[2]unix.PollFd)(unsafe.Pointer(&pages[0])) = [2]unix.PollFd{{Fd: -1, Events: unix.POLLIN}, {Fd: -7, Events: unix.POLLIN | unix.POLLOUT}}
	number(low+512, 0, 0)
	unix.RawSyscall6(unix.SYS_PPOLL, low, 2, low+512, 0, 0, 0)
	unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, 0, low, 0, 0)
	old := *(*unix.Rlimit)(unsafe.Pointer(&pages[0]))
	number(low+512, 100, old.Max)
	unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, low+512, low, 0, 0)
	unix.RawSyscall6(unix.SYS_TIMERFD_SETTIME, none, 1, number(low, 1, 2, 3, 4), 0, 0, 0)
	return stored(low, (*[2]int32)(unsafe.Pointer(&pages[0])), put, number)
}

const none = ^uintptr(0)

// stored makes calls that store something, and one that takes a list.
func stored(low uintptr, first *[2]int32, put func(uintptr, string) uintptr, number func(uintptr, ...uint64) uintptr) error {
	if _, _, err := unix.RawSyscall(unix.SYS_PIPE2, low, unix.O_NONBLOCK, 0); err != 0 {
		return err
	}
	fds := *first
	unix.Dup3(int(fds[0]), 78, 0)
	unix.RawSyscall(unix.SYS_READ, 78, low+64, 100) // there is nothing
	unix.Write(int(fds[1]), []byte("stored"))
	put(low+64, "what was there before")
	unix.RawSyscall(unix.SYS_READ, 78, low+64, 100)
	unix.RawSyscall(unix.SYS_READ, none, low+64, 100)
	unix.RawSyscall(unix.SYS_UNAME, low, 0, 0)
	unix.Chdir("/proc/self")
	unix.RawSyscall(unix.SYS_GETCWD, low, 4000, 0)
	unix.RawSyscall(unix.SYS_GETCWD, low, 1, 0)

	path := put(low, "/no/such\x00")
	args := []string{"first", "", "with \"quotes\"", strings.Repeat("x", 63), strings.Repeat("y", 64), "\x01"}
	at, list := low+1024, []uint64{}
	for _, arg := range args {
		list = append(list, uint64(put(at, arg+"\x00")))
		at += 100
	}
	unix.RawSyscall(unix.SYS_EXECVE, path, number(low+512, append(list, 0)...), 0)
	unix.RawSyscall(unix.SYS_EXECVE, path, number(low+512, list[0], 16, list[2], 0), 0)
	many := make([]uint64, 40)
	for i := range many {
		many[i] = list[0]
	}
	unix.RawSyscall(unix.SYS_EXECVE, path, number(low+512, append(many, 0)...), 0)
	unix.RawSyscall(unix.SYS_EXECVE, path, 0, 0)
	unix.RawSyscall(unix.SYS_EXECVE, path, 16, 0)
	return nil
}

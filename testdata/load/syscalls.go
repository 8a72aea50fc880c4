package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// syscalls makes one system call of each of some kinds. Their arguments and results are
// the same on every kernel and machine.
func syscalls() error {
	dir, err := unix.Openat(unix.AT_FDCWD, "/etc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := unix.Dup3(dir, 77, unix.O_CLOEXEC); err != nil {
		return err
	}
	unix.Openat(77, "not-there", unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_DIRECTORY, 0o640)
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	unix.Connect(fd, &unix.SockaddrInet4{Port: 9, Addr: [4]byte{127, 0, 0, 1}})
	unix.Connect(-1, &unix.SockaddrUnix{Name: "/tmp/no"})
	unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, new(unix.Rlimit))
	unix.Renameat2(77, "a", 77, "b", unix.RENAME_NOREPLACE)
	mem, err := unix.Mmap(-1, 0, 3*4096, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	unix.Mprotect(mem, unix.PROT_READ|unix.PROT_WRITE)
	unix.Nanosleep(&unix.Timespec{Sec: 0, Nsec: 1234}, nil)
	_, err = unix.Pread(77, mem[:5], 1<<32+3)
	if !errors.Is(err, unix.EISDIR) {
		return fmt.Errorf("pread: %v", err)
	}
	unix.Kill(os.Getpid(), 0)
	unix.Getpgid(1 << 21)
	return nil
}

// compat makes system calls as a 32-bit program does: openat(2), which is another
// function in the kernel for such programs, and write(2), which is not. It also makes
// other calls that have functions of their own for such programs, or other numbers.
func compat(name string) error {
	low, err := unix.MmapPtr(-1, 0, nil, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|map32bit)
	if err != nil {
		return err
	}
	copy(unsafe.Slice((*byte)(low), 4096), name)
	// Go interrupts a thread that runs for long with a signal, and does not know of
	// these calls, so one that sleeps would be interrupted.
	runtime.LockOSThread()
	urgent := unix.Sigset_t{}
	urgent.Val[0] = 1 << (unix.SIGURG - 1)
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &urgent, nil); err != nil {
		return err
	}
	at, text := -100, uintptr(low)
	words, arg := unsafe.Slice((*uint32)(unsafe.Add(low, 2048)), 16), uintptr(low)+2048
	// arch/x86/entry/syscalls/syscall_32.tbl
	const openat, write, getuid16, chown16, pread64, mmap2, futex, nanosleep, socketcall = 295, 4, 24, 182, 180, 192, 240, 162, 102
	int80(openat, uintptr(at), text, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	int80(write, 1000, text, 5, 0)
	int80(getuid16, 0, 0, 0, 0)
	int80(chown16, text, 0xffff, 7, 0)
	int80(pread64, 1000, text, 5, 3)
	int80(mmap2, 0, 4096*5, unix.PROT_READ, unix.MAP_PRIVATE)
	int80(futex, arg, 1, 1234, 0)
	words[0], words[1] = 0, 4321
	int80(nanosleep, arg, 0, 0, 0)
	words[0], words[1], words[2] = 1000, uint32(text), 16
	int80(socketcall, 3, arg, 0, 0) // connect
	return nil
}

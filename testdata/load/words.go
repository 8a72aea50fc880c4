package main

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// words makes system calls with flags, numbers and IDs that have names. All but those for
// sockets and umask fail: they have nothing to work on.
func words() error {
	none := ^uintptr(0)
	name := uintptr(unsafe.Pointer(unsafe.StringData("/no/such\x00")))
	at := uintptr(1<<64 - 100) // AT_FDCWD
	one := int32(1)
	on := uintptr(unsafe.Pointer(&one))
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.IPPROTO_UDP)
	if err != nil {
		return err
	}
	udp := uintptr(fd)
	for _, call := range [][7]uintptr{
		{unix.SYS_FCHOWNAT, at, name, none, 7},
		{unix.SYS_UMASK, 0o27},
		{unix.SYS_UMASK, 0o22},
		{unix.SYS_MKNODAT, at, name, unix.S_IFCHR | 0o600, uintptr(unix.Mkdev(300, 70000))},
		{unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT},
		{unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM, 0},
		{unix.SYS_SETSOCKOPT, udp, unix.SOL_SOCKET, unix.SO_REUSEADDR, on, 4},
		{unix.SYS_SETSOCKOPT, udp, unix.SOL_IP, unix.IP_TTL, on, 4},
		{unix.SYS_SETSOCKOPT, none, unix.SOL_TCP, unix.TCP_NODELAY, on, 4},
		{unix.SYS_SETSOCKOPT, none, unix.SOL_IPV6, unix.IPV6_V6ONLY, on, 4},
		{unix.SYS_SETSOCKOPT, none, 200, 5, on, 4},
		{unix.SYS_IOCTL, none, unix.TCGETS, on},
		{unix.SYS_IOCTL, none, 0x80086601, on}, // FS_IOC_GETFLAGS
		{unix.SYS_IOCTL, none, 0xc0124577, 0},
		{unix.SYS_FCNTL, none, unix.F_SETPIPE_SZ, 4096},
		{unix.SYS_PRCTL, unix.PR_SET_MDWE, none},
		{unix.SYS_SHUTDOWN, none, unix.SHUT_WR},
		// The rest have values in registers that the call does not use.
		{unix.SYS_OPENAT, none, name, unix.O_RDONLY, 0o640},
		{unix.SYS_OPENAT, none, name, unix.O_DIRECTORY, 0o640},
		{unix.SYS_OPENAT, none, name, unix.O_CREAT, 0o640},
		{unix.SYS_OPENAT, none, name, unix.O_TMPFILE | unix.O_RDWR, 0o600},
		{unix.SYS_FCNTL, none, unix.F_GETFL, 4096},
		{unix.SYS_PRCTL, unix.PR_GET_DUMPABLE, 2, 3, 4, 5},
		{unix.SYS_PRCTL, unix.PR_CAPBSET_READ, 2, 3, 4, 5},
		{unix.SYS_FUTEX, on, 1 /* FUTEX_WAKE */, 1, 2, 3, 4},
		{unix.SYS_MMAP, 0, 7 << 12, 0, unix.MAP_PRIVATE | unix.MAP_ANON, 77},
	} {
		unix.RawSyscall6(call[0], call[1], call[2], call[3], call[4], call[5], call[6])
	}
	mem, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	mem[0] = 1
	_, err = fmt.Printf("touched %#x\n", unsafe.Pointer(&mem[0]))
	return err
}

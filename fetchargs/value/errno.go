package value

import (
	"slices"
	"syscall"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"golang.org/x/sys/unix"
)

// internalErrnos are the errors from 512 on, which user space never sees
// (include/linux/errno.h).
var internalErrnos = [...]string{
	"ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ENOIOCTLCMD", "ERESTART_RESTARTBLOCK",
	"EPROBE_DEFER", "EOPENSTALE", "ENOPARAM", "", "EBADHANDLE", "ENOTSYNC", "EBADCOOKIE", "ENOTSUPP",
	"ETOOSMALL", "ESERVERFAULT", "EBADTYPE", "EJUKEBOX", "EIOCBQUEUED", "ERECALLCONFLICT", "ENOGRACE",
}

const firstInternalErrno = 512

// sameErrnos are second names. The package unix prefers some of them to those
// that the kernel's own sources use.
var sameErrnos = map[string]string{
	"EWOULDBLOCK":  "EAGAIN",
	"EDEADLOCK":    "EDEADLK",
	"ENOTSUP":      "EOPNOTSUPP",
	"EFSCORRUPTED": "EUCLEAN",
}

// errnoNames are the errors' names by their numbers: amd64 and arm64 have the
// generic ones (include/uapi/asm-generic/errno*.h).
var errnoNames = func() (names [firstInternalErrno + len(internalErrnos)]string) {
	for n := range firstInternalErrno {
		names[n] = unix.ErrnoName(syscall.Errno(n))
		if name, ok := sameErrnos[names[n]]; ok {
			names[n] = name
		}
	}
	copy(names[firstInternalErrno:], internalErrnos[:])
	return names
}()

// ErrnoName is the kernel's name of error n, "ENOENT", "" if there is none.
func ErrnoName(n int64) string {
	if n < 0 || n >= int64(len(errnoNames)) {
		return ""
	}
	return errnoNames[n]
}

// Errno is the error of that name, as a positive number; false if there is none.
func Errno(name string) (int64, bool) {
	if same, ok := sameErrnos[name]; ok {
		name = same
	}
	i := slices.Index(errnoNames[:], name)
	return int64(i), i >= 0 && name != ""
}

// IsErrno tells whether x is what the kernel returns for an error, from
// -MAX_ERRNO to -1: as an integer or as an error pointer.
func IsErrno(x uint64) bool { return x >= abi.ErrorPointers }

// ReturnedErrno is the name of the error x, as a function returns it, "" if it is
// none or has no name.
func ReturnedErrno(x uint64) string {
	if !IsErrno(x) {
		return ""
	}
	return ErrnoName(-int64(x))
}

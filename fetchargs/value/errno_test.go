package value

import (
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestErrnoNames holds the table against x/sys/unix, which has other names for
// a few numbers and none for the kernel's own.
func TestErrnoNames(t *testing.T) {
	others := map[int]string{95: "ENOTSUP", 117: "EFSCORRUPTED"}
	for n := range 512 {
		got, want := ErrnoName(int64(n)), unix.ErrnoName(syscall.Errno(n))
		if got != want && (got == "" || others[n] != want) {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{512: "ERESTARTSYS", 524: "ENOTSUPP", 531: "ENOGRACE", 532: "", -1: "", 1 << 40: ""} {
		if got := ErrnoName(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

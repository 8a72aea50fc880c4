package value

import (
	"runtime"
	"syscall"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"golang.org/x/sys/unix"
)

// TestErrnoNames holds the table against x/sys/unix, which has those of the machine
// that it is built for, other names for a few numbers and none for the kernel's own.
func TestErrnoNames(t *testing.T) {
	others := map[int]string{95: "ENOTSUP", 117: "EFSCORRUPTED"}
	for n := range 512 {
		if abi.Named(runtime.GOARCH) == nil {
			break
		}
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
	for _, arch := range []string{"alpha", "mips", "mipsle", "mips64", "mips64le", "parisc", "sparc", "sparc64"} {
		if abi.Named(arch) != nil {
			t.Errorf("%s has other numbers than those of the table", arch)
		}
	}
}

package names

import (
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// named gives the calling thread a name. The thread ends with its goroutine.
func named(t *testing.T, name string) {
	runtime.LockOSThread()
	text := append([]byte(name), 0)
	if err := unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(&text[0])), 0, 0, 0); err != nil {
		t.Error(err)
	}
}

//go:build vm

package proc

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestVMHZ: the kernels of the tests are built for 250.
func TestVMHZ(t *testing.T) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		t.Fatal(err)
	}
	if got := HZ(unix.ByteSliceToString(u.Release[:])); got != 250 {
		t.Errorf("HZ: got %d, want 250", got)
	}
	if got := stallHZ(); got != 250 {
		t.Errorf("stallHZ: got %d, want 250", got)
	}
}

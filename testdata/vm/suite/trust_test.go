//go:build vm

package suite

import (
	"os"
	"testing"
)

// The tests of what tsnoop promises are called TestTrust. They run on every kernel:
// with "make test" at a reduced size, with "make trust" at full size.

// size is how much of something a test of trust does.
func size(reduced, full int) int {
	if os.Getenv("TSNOOP_TRUST") == "full" {
		return full
	}
	return reduced
}

// atEnds is whether this is the oldest or the newest kernel, or everything runs in
// full. Tests that run only there are about tsnoop more than about kernels.
func atEnds() bool {
	kernel := os.Getenv("TSNOOP_VM_KERNEL")
	return kernel == "5.10" || kernel == "newest" || size(0, 1) == 1
}

// figure says what a test of trust has counted. "make trust" makes a table of it.
func figure(t *testing.T, name string, n int) {
	t.Helper()
	t.Logf("trust: %s %d", name, n)
}

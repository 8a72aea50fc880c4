//go:build vm

package tracefs_test

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"testing"
)

// TestVMReadFile: every format is read to its end, also the kernel's longest. It ends a read
// before a line that does not fit, and the line with print fmt may have more bytes than all
// before it.
func TestVMReadFile(t *testing.T) {
	fsys := mounted(t)
	long := 0
	for _, name := range fsys.Glob("events/*/*/format") {
		want, err := os.ReadFile(filepath.Join(fsys.Path(), name))
		must(t, "read", err)
		got, err := fsys.ReadFile(name)
		must(t, "ReadFile", err)
		if !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes of %d", path.Dir(name), len(got), len(want))
		}
		if len(want) > 4096 {
			long++
		}
	}
	if long == 0 {
		t.Error("no format has more than 4096 bytes")
	}
}

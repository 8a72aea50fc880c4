//go:build vm

package nocalls

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
)

// TestVMOtherCopies names the copies of a function that its callers may call instead, for
// the functions of which the kernel has such copies, and none for others.
func TestVMOtherCopies(t *testing.T) {
	fs, err := tracefs.Find()
	if err != nil {
		t.Fatal(err)
	}
	h := host.New(fs)
	text, err := os.ReadFile("/proc/kallsyms")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, found := range regexp.MustCompile(`(?m) t ((\w+)\.(part|isra|constprop)\.\d+)$`).FindAllSubmatch(text, 20) {
		n++
		if why := otherCopies(h, string(found[2])); !strings.Contains(why, string(found[1])) || strings.Contains(why, ".cold") {
			t.Errorf("%s %q, without %s", found[2], why, found[1])
		}
	}
	t.Logf("%d copies", n)
	for name, want := range map[string]string{
		"vfs_read":      "may have been called where the compiler has put it into callers of its own source file: trace one of these",
		"shmem_rename2": "is static, so the compiler may have put it into its callers instead",
		"no_such":       "",
	} {
		if why := otherCopies(h, name); why != want {
			t.Errorf("%s %q, want %q", name, why, want)
		}
	}
}

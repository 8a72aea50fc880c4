//go:build vm

package suite

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestVMUserBroughtIn traces a system call by its name whose texts are on pages that
// were never touched. Where its event reads them, waiting for a page, the values are
// those at entry, and the kernel's filter sees them.
func TestVMUserBroughtIn(t *testing.T) {
	format, err := os.ReadFile(tracing + "/events/syscalls/sys_enter_openat/format")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(format), "__filename_val") {
		t.Log("the events of this kernel read no texts; TestVMUserAgain shows what is marked then")
		return
	}
	long := "/not/there/" + strings.Repeat("x", 150)
	out, err := exec.Command("tsnoop", "-t", "none", "-v", "openat(o=filename, flags) if flags & O_NOCTTY", `sys_openat(p=filename, return) if filename ~ "/not*"`,
		"--", "load", "on", "0", "user", "open-mapped=/not/there", "open-mapped="+long, "open=/here", "open-absent", "open-cut=abc").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	calls := regexp.MustCompile(`sys_openat\(([op]=(".*?"|\(fault)( \(at return\))?)`).FindAllStringSubmatch(string(out), -1)
	var got []string
	for _, m := range calls {
		got = append(got, m[1])
	}
	want := []string{
		`o="/not/there"`, `p="/not/there"`, `o="` + long + `"`, `p="` + long + `"`, `o="/here"`, `o=""`, `o="abc"`,
	}
	if !strings.Contains(string(out), "the kernel brings filename into memory for the event sys_enter_openat") {
		t.Error("nothing explains how")
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s\nof\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), out)
	}
}

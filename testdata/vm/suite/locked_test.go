//go:build vm

package suite

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const lockdownFile = "/sys/kernel/security/lockdown"

// TestLockdown locks the kernel down, which cannot be undone: test.sh gives it
// a machine of its own. It is also run on one that was booted locked down, where
// tracefs has no files.
func TestLockdown(t *testing.T) {
	if os.Getenv("TSNOOP_VM_LOCKDOWN") == "" {
		t.Skip("needs a machine of its own: TSNOOP_VM_LOCKDOWN=1")
	}
	if err := unix.Mount("securityfs", "/sys/kernel/security", "securityfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	state, err := os.ReadFile(lockdownFile)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(state), "[confidentiality]") {
		mustWrite(t, lockdownFile, "integrity")
		if out, err := exec.Command("tsnoop", "-d", "10ms", "vfs_read(count)").CombinedOutput(); err != nil {
			t.Errorf("locked down for integrity, as with Secure Boot: %v\n%s", err, out)
		}
		mustWrite(t, lockdownFile, "confidentiality")
	}
	refuses(t, "vfs_read(count)", `tsnoop: the kernel is locked down (confidentiality): tracing is forbidden
hint: boot with lockdown=integrity, or with Secure Boot off
`)
	if out, _ := exec.Command("tsnoop", "check").Output(); !strings.Contains(string(out), "the kernel is locked down") {
		t.Errorf("check does not tell of the lockdown:\n%s", out)
	}
	if err := unix.Unmount("/sys/kernel/security", 0); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("tsnoop", "vfs_read(count)").CombinedOutput(); err == nil || !strings.Contains(string(out), "locked down") {
		t.Errorf("without securityfs: %v\n%s", err, out)
	}
	// Commands that need no tracefs work.
	if out, err := exec.Command("tsnoop", "--emit", "vfs_read(count)").CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "p:") {
		t.Errorf("--emit: %v\n%s", err, out)
	}
}

func mustWrite(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0); err != nil {
		t.Fatal(err)
	}
}

// refuses checks that the machine says no, in these words.
func refuses(t *testing.T, spec, want string) {
	t.Helper()
	cmd := exec.Command("tsnoop", spec)
	out, _ := cmd.CombinedOutput()
	if got := string(out); got != want || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("%s: status %d\n[got]\n%s[want]\n%s", spec, cmd.ProcessState.ExitCode(), got, want)
	}
}

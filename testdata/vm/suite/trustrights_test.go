//go:build vm

package suite

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestTrustRights: users who are not allowed to trace see why not, and what helps; and
// nothing is left behind.
func TestTrustRights(t *testing.T) {
	before := tracefsState(t)
	remount := func(options string) {
		t.Helper()
		if err := unix.Mount("nodev", tracing, "tracefs", unix.MS_REMOUNT, options); err != nil {
			t.Fatal(err)
		}
	}
	user := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1000, Gid: 1000}}
	cases := 0
	lacks := func(name, why, hint string, attr *syscall.SysProcAttr, prefix ...string) {
		t.Helper()
		cases++
		out, status := rightly(attr, append(prefix, "tsnoop", "-d", "100ms", "vfs_read(count)")...)
		if want := "tsnoop: " + why + "\nhint: " + hint; status != 1 || !strings.HasPrefix(out, want) {
			t.Errorf("%s: status %d\n[got]\n%s[want]\n%s", name, status, out, want)
		}
		if cases != 1 && size(0, 1) == 0 {
			return // check finds out the same way
		}
		out, status = rightly(attr, append(prefix, "tsnoop", "check")...)
		if status != 1 || !strings.Contains(out, why) || !strings.Contains(out, "hint: "+hint) {
			t.Errorf("%s: check does not say so: status %d\n%s", name, status, out)
		}
	}

	lacks("a user", tracing+" is not for user 1000", "run as root, or on recent kernels let root give it to you: mount -o remount,uid=1000", user)
	remount("gid=1000,mode=0750")
	lacks("a group that may read", "kprobe_events in "+tracing+" is not for user 1000", "run as root, or", user)
	remount("uid=1000,gid=1000,mode=0700")
	limited(t, func() error {
		for _, c := range []uintptr{unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH} {
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
				return err
			}
		}
		return nil
	}, func() {
		lacks("root without a capability", tracing+" is not for root here, who lacks CAP_DAC_OVERRIDE", "give it to the container, with CAP_SYS_ADMIN", nil)
	})
	remount("uid=0,gid=0,mode=0700")

	// In namespaces, as in containers.
	space := func(commands string) []string {
		return []string{"unshare", "-m", "/bin/sh", "-c", commands + `; exec "$@"`, "sh"}
	}
	lacks("no tracefs", "tracefs is not mounted", "run mount -t tracefs nodev "+tracing, nil, space("umount "+tracing+"; umount /sys/kernel/debug 2>/dev/null")...)
	lacks("read-only", "the tracefs at "+tracing+" is read-only here: nothing can be traced", "run mount -o remount,rw "+tracing, nil,
		space("mount -o remount,bind,ro "+tracing)...)
	lacks("another root", tracing+" is not for root here, who is not the host's: this is a user namespace", "trace outside of the container",
		&syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER, Credential: &syscall.Credential{NoSetGroups: true}, UidMappings: []syscall.SysProcIDMap{{HostID: 1000, Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: 1000, Size: 1}}})

	// A security module, before anything is done and in the middle.
	landlocked(t, nil, func() {
		lacks("a security module", "kprobe_events in "+tracing+": permission denied, which root is by a security module only (SELinux, AppArmor, Landlock)", "find the rule with ausearch", nil)
	})
	landlocked(t, []string{tracing + "/kprobe_events"}, func() {
		cases++
		out, status := rightly(nil, "tsnoop", "-d", "100ms", "vfs_read(count)")
		if status != 1 || !strings.Contains(out, "instances/tsnoop_") || !strings.Contains(out, "a security module only") {
			t.Errorf("a security module in the middle: status %d\n%s", status, out)
		}
	})

	if err := os.WriteFile("/proc/sys/kernel/kptr_restrict", []byte("2"), 0); err != nil {
		t.Fatal(err)
	}
	cases++
	out, status := rightly(nil, "tsnoop", "check")
	if status != 0 || !strings.Contains(out, "kernel.kptr_restrict is 2") || !strings.Contains(out, "hint: run sysctl kernel.kptr_restrict=1") {
		t.Errorf("kptr_restrict=2: status %d\n%s", status, out)
	}
	out, status = rightly(nil, "tsnoop", "-n", "1", "vfs_read(count)", "--", "/bin/dd", "if=/proc/version", "of=/dev/null", "bs=77", "count=1")
	if status != 0 || !strings.Contains(out, "vfs_read(count=") {
		t.Errorf("kptr_restrict=2: no trace: status %d\n%s", status, out)
	}
	os.WriteFile("/proc/sys/kernel/kptr_restrict", []byte("1"), 0)

	if after := tracefsState(t); after != before {
		t.Errorf("tracefs was left as\n%s\nit was\n%s", after, before)
	}
	figure(t, "kinds of missing rights, each reported", cases)
}

// TestTrustRightsGiven: where tracefs is given to a user no root is needed, since the
// kernel also gives the files of an instance to that user. Without that, tsnoop suggests
// it.
func TestTrustRightsGiven(t *testing.T) {
	before := tracefsState(t)
	if err := unix.Mount("nodev", tracing, "tracefs", unix.MS_REMOUNT, "uid=1000,gid=1000,mode=0750"); err != nil {
		t.Fatal(err)
	}
	defer unix.Mount("nodev", tracing, "tracefs", unix.MS_REMOUNT, "uid=0,gid=0,mode=0700")
	user := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1000, Gid: 1000}}
	out, status := rightly(user, "tsnoop", "vfs_read(file->f_inode->i_ino, count, return)", "--", "/bin/dd", "if=/proc/version", "of=/dev/null", "bs=77", "count=1")
	given := 0
	switch {
	case status == 0 && strings.Contains(out, "count=") && strings.Contains(out, ") = "):
		given = 1
	case status != 1 || !strings.Contains(out, " is not for user 1000\nhint: run as root\n"): // the instance is root's, as on 5.10
		t.Errorf("status %d\n%s", status, out)
	}
	figure(t, "traces without root", given)
	unix.Mount("nodev", tracing, "tracefs", unix.MS_REMOUNT, "uid=0,gid=0,mode=0700")
	if after := tracefsState(t); after != before {
		t.Errorf("tracefs was left as\n%s\nit was\n%s", after, before)
	}
}

// rightly runs a command with other rights.
func rightly(attr *syscall.SysProcAttr, args ...string) (out string, status int) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.SysProcAttr = attr
	b, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return fmt.Sprint(err), -1
	}
	return string(b), cmd.ProcessState.ExitCode()
}

// tracefsState is what tsnoop could leave behind.
func tracefsState(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, file := range []string{"kprobe_events", "set_event"} {
		text, err := os.ReadFile(tracing + "/" + file)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s:\n%s", file, text)
	}
	dirs, err := os.ReadDir(tracing + "/instances")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		fmt.Fprintln(&b, d.Name())
	}
	return b.String()
}

// landlocked has do start programs that may write only to some files, where the kernel
// has Landlock (5.13). It refuses as SELinux does, with EACCES, root too.
func landlocked(t *testing.T, files []string, do func()) {
	t.Helper()
	const write = 1 << 1 // LANDLOCK_ACCESS_FS_WRITE_FILE
	access := uint64(write)
	rules, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&access)), 8, 0)
	if errno != 0 {
		t.Logf("no Landlock here: %v", errno)
		return
	}
	defer unix.Close(int(rules))
	limited(t, func() error {
		for _, file := range append(files, "/dev/null", "/dev/console") {
			fd, err := unix.Open(file, unix.O_PATH, 0)
			if err != nil {
				return err
			}
			rule := struct {
				access uint64
				parent int32
			}{write, int32(fd)}
			_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, rules, 1, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
			unix.Close(fd)
			if errno != 0 {
				return fmt.Errorf("%s: %w", file, errno)
			}
		}
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return err
		}
		if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0); errno != 0 {
			return errno
		}
		return nil
	}, do)
}

// limited has do start programs from a thread that limit has limited.
func limited(t *testing.T, limit func() error, do func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its limits
		err := limit()
		if err == nil {
			do()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

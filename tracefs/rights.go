package tracefs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Writable returns why probes cannot be defined here, or nil if they can, as far as
// that is known before one is defined.
func (fsys *FS) Writable() error {
	unlock, err := fsys.lockProbes()
	if err != nil {
		return err
	}
	unlock()
	if err := unix.Faccessat(int(unix.AT_FDCWD), fsys.absolute("instances"), unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		return explainOpen(fsys.dir, &os.PathError{Op: "mkdir", Path: "instances", Err: err})
	}
	return nil
}

func (fsys *FS) absolute(name string) string { return fsys.dir + "/" + name }

// explainOpen turns a failed open into a *HostError that says what to do about it.
func explainOpen(dir string, err error) error {
	var known *HostError
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, unix.EPERM) && lockedDown(lockdown):
		return &HostError{Msg: "the kernel is locked down (confidentiality): tracing is forbidden",
			Hint: hintLockdown, Err: err}
	case errors.Is(err, unix.EPERM) && os.Geteuid() == 0:
		return &HostError{Msg: "the kernel forbids tracing: it is locked down (confidentiality), or root here is not the host's",
			Hint: hintLockdown + ", or trace outside of the container", Err: err}
	case errors.Is(err, unix.EROFS):
		return &HostError{Msg: "the tracefs at " + dir + " is read-only here: nothing can be traced",
			Hint: "run mount -o remount,rw " + dir + "; in a container let its host do this, or trace on the host", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return explainRights(dir, err)
	case fileOf(err) == dir && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR)):
		return &HostError{Msg: "no tracefs at " + dir, Hint: hintMounted, Err: err}
	}
	return err
}

// fileOf returns which file an error is about, "" if it does not say.
func fileOf(err error) string {
	var at *os.PathError
	if !errors.As(err, &at) {
		return ""
	}
	return at.Path
}

// explainRights explains which permission is denied, and why.
func explainRights(dir string, err error) error {
	what := dir
	if file := fileOf(err); file != "" && file != dir && file != "." {
		what = strings.TrimPrefix(file, dir+"/") + " in " + dir
	}
	m := &HostError{Err: err}
	switch who := os.Geteuid(); {
	case who != 0:
		m.Msg = fmt.Sprintf("%s is not for user %d", what, who)
		m.Hint = "run as root"
		if owner := ownerOf(dir); owner >= 0 && owner != who {
			m.Hint += fmt.Sprintf(", or on recent kernels let root give it to you: mount -o remount,uid=%d,mode=0700 %s", who, dir)
		}
	case !hostRoot():
		m.Msg = what + " is not for root here, who is not the host's: this is a user namespace"
		m.Hint = "trace outside of the container, or in one without a user namespace"
	case !overrides():
		m.Msg = what + " is not for root here, who lacks CAP_DAC_OVERRIDE"
		m.Hint = "give it to the container, with CAP_SYS_ADMIN (docker run --privileged), or trace outside of it"
	default:
		m.Msg = what + ": permission denied, which root is by a security module only (SELinux, AppArmor, Landlock)"
		m.Hint = "find the rule with ausearch -m avc -ts recent, or with dmesg"
	}
	return m
}

// ownerOf returns the UID of a directory's owner, -1 if not known.
func ownerOf(dir string) int {
	var st unix.Stat_t
	if unix.Stat(dir, &st) != nil {
		return -1
	}
	return int(st.Uid)
}

// hostRoot reports whether user 0 here is the machine's root. See
// user_namespaces(7).
func hostRoot() bool {
	b, err := os.ReadFile("/proc/self/uid_map")
	f := strings.Fields(string(b))
	return err != nil || len(f) == 3 && f[0] == "0" && f[1] == "0" && f[2] == "4294967295"
}

// overrides reports whether this process has CAP_DAC_OVERRIDE.
func overrides() bool {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	return unix.Capget(&head, &data[0]) != nil || data[0].Effective&(1<<unix.CAP_DAC_OVERRIDE) != 0
}

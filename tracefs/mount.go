package tracefs

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A HostError says what this host lacks. Hint is a command or a few words on how
// to fix it; it is empty if nothing helps.
type HostError struct {
	Msg  string
	Hint string
	Err  error // the underlying error; may be nil
}

func (e *HostError) Error() string {
	if e.Hint == "" {
		return e.Msg
	}
	return e.Msg + " (" + e.Hint + ")"
}

func (e *HostError) Unwrap() error { return e.Err }

const (
	defaultMount = "/sys/kernel/tracing"
	mountTracefs = "mount -t tracefs nodev " + defaultMount
	hintMount    = "run " + mountTracefs
	hintMounted  = "leave out --tracefs, or give the directory that findmnt -t tracefs shows"
)

// mountHint returns the command that mounts tracefs where it belongs. In a chroot the
// directory may also be missing.
func mountHint() string {
	if _, err := os.Stat(filepath.Dir(defaultMount)); err != nil {
		return "run mount -t sysfs sysfs /sys && " + mountTracefs
	}
	return hintMount
}

// Find opens the tracefs that is mounted in this mount namespace: the one at
// /sys/kernel/tracing if there is one, otherwise the one inside a debugfs, otherwise
// any.
//
// If none can be used, a *HostError says why.
func Find() (*FS, error) {
	f, err := os.Open("/proc/self/mounts")
	if err != nil {
		return nil, &HostError{Msg: "cannot find where tracefs is mounted", Hint: "run mount -t proc proc /proc", Err: err}
	}
	defer f.Close()
	mounts, err := ParseMounts(f)
	if err != nil {
		return nil, err
	}
	dir := chooseMount(mounts)
	if dir == "" {
		return nil, &HostError{Msg: "tracefs is not mounted", Hint: mountHint()}
	}
	return At(dir)
}

// At opens the tracefs that is mounted at dir.
//
// If it cannot be used, a *HostError says why.
func At(dir string) (*FS, error) {
	root, err := openRoot(dir)
	if err != nil {
		return nil, explainOpen(dir, err)
	}
	fsys := &FS{root: root, dir: dir}
	if err := fsys.check(); err != nil {
		root.Close()
		return nil, err
	}
	return fsys, nil
}

// check finds out why a directory is not a tracefs that we can use.
func (fsys *FS) check() (err error) {
	if fsys.isTracefs() && isTracefs(fsys.absolute("..")) { // an instance has some of the files
		return &HostError{Msg: fsys.dir + " is a directory in a tracefs", Hint: hintMounted}
	}
	for _, fsys.lock = range lockFiles {
		var f *os.File
		if f, err = fsys.root.open(fsys.lock, os.O_RDONLY); err == nil {
			return f.Close()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return explainOpen(fsys.dir, err)
		}
	}
	if fsys.Exists("trace_pipe") || fsys.Exists("README") {
		return &HostError{Msg: "this kernel records no events", Hint: "boot a kernel with CONFIG_KPROBE_EVENTS=y", Err: err}
	}
	if fsys.isTracefs() {
		return explainEmpty(fsys.dir, err)
	}
	return &HostError{Msg: "no tracefs at " + fsys.dir, Hint: hintMounted, Err: err}
}

// CheckKprobes returns an error if this kernel cannot probe functions. Its own events can
// be recorded anyway.
func (fsys *FS) CheckKprobes() error {
	if fsys.Exists(KprobeEvents) {
		return nil
	}
	return &HostError{Msg: "this kernel has no kprobe_events, which probes of functions need",
		Hint: "boot a kernel with CONFIG_KPROBE_EVENTS=y, or trace tracepoints: tsnoop list 'sched:*'"}
}

// isTracefs reports whether the directory is a tracefs, even one without files.
func (fsys *FS) isTracefs() bool { return isTracefs(fsys.dir) }

func isTracefs(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && int64(st.Type) == unix.TRACEFS_MAGIC
}

// lockdown is the file of the lockdown security module, where distributions mount
// securityfs.
const lockdown = "/sys/kernel/security/lockdown"

const hintLockdown = "boot with lockdown=integrity, or with Secure Boot off"

// explainEmpty explains a tracefs without files: a kernel that is locked down while it
// boots creates none (tracer_init_tracefs in kernel/trace/trace.c).
func explainEmpty(dir string, err error) error {
	if lockedDown(lockdown) {
		return &HostError{Msg: "the kernel is locked down (confidentiality): tracing is forbidden", Hint: hintLockdown, Err: err}
	}
	return &HostError{Msg: "the tracefs at " + dir + " is empty: the kernel is locked down (confidentiality), or built without tracing",
		Hint: hintLockdown, Err: err}
}

// lockedDown parses a lockdown file, "none integrity [confidentiality]", and reports
// whether the level is confidentiality. Integrity, which Secure Boot sets, does not
// stop kprobe events.
//
// See include/linux/security.h, LOCKDOWN_TRACEFS.
func lockedDown(file string) bool {
	b, err := os.ReadFile(file)
	return err == nil && strings.Contains(string(b), "[confidentiality]")
}

// Lockdown returns how far the kernel is locked down: "none", "integrity",
// "confidentiality", or "" if it has no lockdown.
func Lockdown() string {
	b, err := os.ReadFile(lockdown)
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(b), "[")
	level, _, _ := strings.Cut(rest, "]")
	return level
}

// A Mount is one line of /proc/self/mounts.
type Mount struct {
	Dir  string
	Type string
}

// ParseMounts parses /proc/self/mounts. See proc(5).
func ParseMounts(r io.Reader) ([]Mount, error) {
	var mounts []Mount
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		f := strings.Fields(sc.Text())
		if len(f) < 3 {
			continue
		}
		mounts = append(mounts, Mount{Dir: unescapeMount(f[1]), Type: f[2]})
	}
	return mounts, sc.Err()
}

// unescapeMount undoes the \ooo escapes that the kernel writes for white space and "\".
func unescapeMount(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// chooseMount returns the directory of the tracefs to use, "" if there is none. A
// debugfs has a "tracing" directory that mounts tracefs when it is entered (deprecated
// since 6.x, CONFIG_TRACEFS_AUTOMOUNT_DEPRECATED).
func chooseMount(mounts []Mount) string {
	var tracefs, debugfs string
	for _, m := range mounts {
		switch {
		case m.Type == "tracefs" && m.Dir == defaultMount:
			return m.Dir
		case m.Type == "tracefs" && tracefs == "":
			tracefs = m.Dir
		case m.Type == "debugfs" && debugfs == "":
			debugfs = filepath.Join(m.Dir, "tracing")
		}
	}
	if debugfs != "" {
		if _, err := os.Stat(filepath.Join(debugfs, "README")); err == nil || tracefs == "" && errors.Is(err, fs.ErrPermission) {
			return debugfs
		}
	}
	return tracefs
}

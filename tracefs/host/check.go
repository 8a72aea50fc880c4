package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/proc/symbols"
	"golang.org/x/sys/unix"
)

// A CheckResult is one thing that this host offers or lacks.
type CheckResult struct {
	What string
	Err  error  // nil if the machine has it; may wrap ErrArch or btf.ErrNoBTF
	Note string // what the machine has, or what does not work without it
	Hint string // how to get it, if there is a way
	Must bool   // nothing can be traced without it
}

// Check reports what this host offers and what it lacks. find opens tracefs.
func Check(kernel *btf.Kernel, find func() (*tracefs.FS, error)) []CheckResult {
	results := []CheckResult{checkArch(), checkBTF(kernel)}
	fs, err := find()
	if err != nil {
		results = append(results, checkTracefs(err))
	} else {
		results = append(results, CheckResult{What: "tracefs", Note: fs.Path()}, checkKprobes(fs), checkLockdown(), checkRights(fs))
		results = append(results, checkFeatures(fs)...)
	}
	return append(results, checkSymbols(), checkRanges())
}

func checkArch() CheckResult {
	var u unix.Utsname
	unix.Uname(&u)
	f := CheckResult{What: "kernel", Must: true}
	f.Note = fmt.Sprintf("%s %s", unix.ByteSliceToString(u.Release[:]), unix.ByteSliceToString(u.Machine[:]))
	if abi.Named("") == nil {
		f.Err = ErrArch
	}
	return f
}

func checkBTF(kernel *btf.Kernel) CheckResult {
	f := CheckResult{What: "types (BTF)", Must: true, Note: "/sys/kernel/btf/vmlinux"}
	if _, err := kernel.Type("int"); err != nil {
		f.Err, f.Note = err, err.Error()
		return f.unmounted("/sys", "/sys/kernel")
	}
	if n := len(kernel.Modules()); n > 0 {
		f.Note += " and " + plural.Of(n, "module")
	}
	return f
}

// unmounted returns f, or, if a file system that f needs is not mounted, what helps: in a
// chroot it may be missing. It has the directory within when it is mounted.
func (f CheckResult) unmounted(mount, within string) CheckResult {
	if _, err := os.Stat(within); !errors.Is(err, fs.ErrNotExist) {
		return f
	}
	name := map[string]string{"/proc": "proc", "/sys": "sysfs"}[mount]
	f.Note = mount + " is not mounted"
	f.Err = errors.New(f.Note)
	f.Hint = "run mount -t " + name + " " + name + " " + mount
	return f
}

func checkTracefs(err error) CheckResult {
	f := CheckResult{What: "tracefs", Err: err, Note: err.Error(), Must: true}
	var m *tracefs.HostError
	if errors.As(err, &m) {
		f.Note, f.Hint = m.Msg, m.Hint
	}
	return f
}

func checkKprobes(fs *tracefs.FS) CheckResult {
	f := CheckResult{What: "kprobe events", Note: "functions can be probed"}
	var m *tracefs.HostError
	if f.Err = fs.CheckKprobes(); errors.As(f.Err, &m) {
		f.Note, f.Hint = m.Msg, m.Hint
	}
	return f
}

// checkLockdown is about a kernel that has a tracefs: of one that is locked down for
// confidentiality there is none.
func checkLockdown() CheckResult {
	level := tracefs.Lockdown()
	if level == "" {
		level = "none"
	}
	return CheckResult{What: "lockdown", Note: level + ": tracing is allowed"}
}

func checkRights(fs *tracefs.FS) CheckResult {
	f := CheckResult{What: "rights", Note: "probes can be defined", Must: true}
	var m *tracefs.HostError
	if f.Err = fs.Writable(); f.Err != nil {
		f.Note = f.Err.Error()
	}
	if errors.As(f.Err, &m) {
		f.Note, f.Hint = m.Msg, m.Hint
	}
	return f
}

func checkFeatures(fs *tracefs.FS) []CheckResult {
	f, err := fs.Features()
	if err != nil {
		return []CheckResult{{What: "features", Err: err, Note: err.Error(), Must: true}}
	}
	has := func(ok bool, what, note, without string) CheckResult {
		if ok {
			return CheckResult{What: what, Note: note}
		}
		return CheckResult{What: what, Err: errors.ErrUnsupported, Note: without}
	}
	return []CheckResult{
		has(f.ArgN, "$argN", "parameters by number", "parameters are fetched by register"),
		has(f.Ustring, "ustring", "strings in user memory", "no strings from user memory (since 5.3)"),
		has(f.NotracePid, "set_event_notrace_pid", "tsnoop keeps itself out of the trace", "tsnoop's own calls show up (since 5.7)"),
		has(f.ErrorLog, "error_log", "the kernel explains refusals", "the kernel does not explain refusals (since 5.2)"),
	}
}

func checkSymbols() CheckResult {
	f := CheckResult{What: "symbols", Note: "/proc/kallsyms"}
	if _, stext, err := symbols.Running().Facts(nil, true); err != nil || stext == 0 {
		f.Err, f.Note = errors.ErrUnsupported, "addresses are hidden: callers are shown as numbers"
		restrict := proc.KptrRestrict()
		switch {
		case restrict == 2:
			f.Note += ", for kernel.kptr_restrict is 2"
			f.Hint = "run sysctl kernel.kptr_restrict=1"
		case os.Geteuid() != 0:
			f.Hint = "run as root"
		default:
			f.Hint = "give this container CAP_SYSLOG, or trace outside of it"
		}
	}
	if f.Err != nil {
		return f.unmounted("/proc", "/proc/self")
	}
	return f
}

func checkRanges() CheckResult {
	f := CheckResult{What: "memory map", Note: "bad kernel pointers are detected by the address ranges in /proc/kcore"}
	if _, err := proc.LoadRanges(); err != nil {
		f.Err, f.Note = err, "bad kernel pointers are detected by their upper bits only"
		return f.unmounted("/proc", "/proc/self")
	}
	return f
}

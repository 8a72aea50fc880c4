package host

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"golang.org/x/sys/unix"
)

// A Fact is one line of a bug report: what it is about, and what it is on this host.
type Fact struct{ What, Note string }

// options lists the kernel configuration options that decide what can be traced.
var options = []string{
	"KPROBES", "KPROBE_EVENTS", "KPROBE_EVENTS_ON_NOTRACE", "KPROBES_ON_FTRACE", "DYNAMIC_FTRACE", "FTRACE_SYSCALLS",
	"DEBUG_INFO_BTF", "DEBUG_INFO_BTF_MODULES", "PAHOLE_HAS_SPLIT_BTF", "KALLSYMS_ALL", "PROC_KCORE", "DEBUG_FS",
	"SECURITY_LOCKDOWN_LSM", "RANDOMIZE_BASE", "IA32_EMULATION", "COMPAT", "PREEMPT_RT", "PREEMPT_DYNAMIC", "HZ",
	"CC_IS_CLANG", "LTO_CLANG", "CFI_CLANG", "X86_KERNEL_IBT", "KASAN", "BPF_SYSCALL",
}

// SysInfo describes this host for a bug report. It reports nothing that identifies the
// machine, its users or their files, and no addresses. fs is nil if there is no
// tracefs.
func SysInfo(fs *tracefs.FS) []Fact {
	var u unix.Utsname
	unix.Uname(&u)
	facts := []Fact{
		{"kernel", release() + " " + unix.ByteSliceToString(u.Machine[:])},
		{"host", sizes()},
		{"rights", fmt.Sprintf("user %s, kptr_restrict %d", map[bool]string{true: "0", false: "not 0"}[os.Geteuid() == 0], proc.KptrRestrict())},
		{"lockdown", or(tracefs.Lockdown(), "none")},
		{"types", typeSizes()},
		{"config", config(release())},
		{"kprobe blacklist", blacklist()},
	}
	if fs == nil {
		return append(facts, Fact{"tracefs", "none"})
	}
	if f, err := fs.Features(); err == nil {
		facts = append(facts, Fact{"features", strings.Trim(fmt.Sprintf("%+v", *f), "{}")})
	}
	c := fs.Inventory()
	return append(facts,
		Fact{"in tracefs", fmt.Sprintf("%s and %s of others, %d and %d of tsnoop, tracer %s", plural.Of(c.Probes, "probe"), plural.Of(c.Instances, "instance"), c.OwnProbes, c.OwnInstances, c.Tracer)},
		Fact{"refused", or(strings.Join(c.Refusals, "; "), "nothing")})
}

// blacklist says how many functions the kernel does not let one probe. debugfs has them,
// which may not be mounted, and is for root.
func blacklist() string {
	names := proc.LoadBlacklist()
	if names == nil {
		return "not known"
	}
	return plural.Of(len(names), "function")
}

// release returns the release of the running kernel, as in uname -r.
func release() string {
	var u unix.Utsname
	unix.Uname(&u)
	return unix.ByteSliceToString(u.Release[:])
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// sizes returns the number of CPUs, the memory and the page size, which decide how
// large buffers are.
func sizes() string {
	var info unix.Sysinfo_t
	unix.Sysinfo(&info)
	online, _ := proc.OnlineCPUs()
	cpus, _ := tracefs.ParseCPUs(online)
	return fmt.Sprintf("%s, %d MiB, pages of %d bytes", plural.Of(len(cpus), "CPU"), uint64(info.Totalram)*uint64(info.Unit)>>20, os.Getpagesize())
}

// typeSizes describes how much BTF the machine has.
func typeSizes() string {
	files, _ := filepath.Glob("/sys/kernel/btf/*")
	var kernel, modules int64
	for _, file := range files {
		info, err := os.Stat(file)
		switch {
		case err != nil:
		case filepath.Base(file) == "vmlinux":
			kernel = info.Size()
		default:
			modules += info.Size()
		}
	}
	if kernel == 0 {
		return "no BTF"
	}
	return fmt.Sprintf("%d bytes of BTF, and %d of %d modules", kernel, modules, len(files)-1)
}

// config lists the options that are set to y, m or a number. Other values are left out:
// they are text that somebody wrote.
func config(release string) string {
	set, err := proc.LoadConfig(release)
	if err != nil {
		return "not known"
	}
	var b strings.Builder
	for _, name := range options {
		value := or(set[name], "n")
		if strings.Trim(value, "0123456789ymn") == "" {
			fmt.Fprintf(&b, "%s=%s ", name, value)
		}
	}
	return strings.TrimSpace(b.String())
}

// common lists the files that every machine has.
var common = []string{
	"/sys/kernel/btf", "/sys/kernel/btf/vmlinux", "/sys/kernel/tracing", "/sys/kernel/debug/tracing",
	"/proc/kallsyms", "/proc/kcore",
}

// HasPath reports whether note contains the path of a file that not every machine has.
func HasPath(note string) bool {
	for {
		i := strings.IndexByte(note, '/')
		if i < 0 {
			return false
		}
		path := note[i:]
		if end := strings.IndexAny(path, " \t\n\f\r:,"); end >= 0 {
			path = path[:end]
		}
		if !slices.Contains(common, path) {
			return true
		}
		note = note[i+len(path):]
	}
}

package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"golang.org/x/sys/unix"
)

// A finding is one line of `tsnoop check`.
type finding struct {
	what string
	err  error  // nil if the machine has it
	note string // what it has, or what is lost without it
	cure string
	must bool // nothing can be traced without it
}

// errLacking ends a check that found something missing that tracing needs.
var errLacking = errors.New("this machine lacks what tracing needs")

// runCheck tells what this machine offers and what it lacks, each with the
// way out.
func runCheck(o *options, ui *ui) error {
	findings := []finding{checkArch(), checkBTF(o)}
	fs, err := openTracefs(o)
	if err != nil {
		findings = append(findings, checkTracefs(err))
	} else {
		findings = append(findings, finding{what: "tracefs", note: fs.Path()})
		findings = append(findings, checkFeatures(fs)...)
	}
	findings = append(findings, checkSymbols(), checkRanges())
	lacking := false
	for _, f := range findings {
		mark := "ok"
		if f.err != nil {
			mark = "no"
			lacking = lacking || f.must
		}
		fmt.Fprintf(ui.stdout, "%-3s %-24s %s\n", mark, f.what, f.note)
		if f.err != nil && f.cure != "" {
			fmt.Fprintf(ui.stdout, "    %-24s cure: %s\n", "", f.cure)
		}
	}
	if lacking {
		return errLacking
	}
	return nil
}

func checkArch() finding {
	var u unix.Utsname
	unix.Uname(&u)
	f := finding{what: "kernel", must: true}
	f.note = fmt.Sprintf("%s %s", unix.ByteSliceToString(u.Release[:]), unix.ByteSliceToString(u.Machine[:]))
	if abi.Named("") == nil {
		f.err, f.cure = errors.ErrUnsupported, "amd64 and arm64 are supported; --emit --arch writes lines for those"
	}
	return f
}

func checkBTF(o *options) finding {
	f := finding{what: "types (BTF)", must: true, note: "/sys/kernel/btf/vmlinux"}
	kernel, err := kernelOf(o)
	if err == nil {
		_, err = kernel.Type("int")
	}
	if err != nil {
		f.err, f.note = err, err.Error()
		var m *tracefs.MachineError
		if errors.As(noTypes(err), &m) {
			f.cure = m.Cure
		}
		return f
	}
	modules, _ := os.ReadDir("/sys/kernel/btf")
	if len(modules) > 1 {
		f.note += fmt.Sprintf(" and %d modules", len(modules)-1)
	}
	return f
}

func checkTracefs(err error) finding {
	f := finding{what: "tracefs", err: err, note: err.Error(), must: true}
	var m *tracefs.MachineError
	if errors.As(err, &m) {
		f.note, f.cure = m.Msg, m.Cure
	}
	return f
}

func checkFeatures(fs *tracefs.FS) []finding {
	f, err := fs.Features()
	if err != nil {
		return []finding{{what: "features", err: err, note: err.Error(), must: true}}
	}
	has := func(ok bool, what, note, without string) finding {
		if ok {
			return finding{what: what, note: note}
		}
		return finding{what: what, err: errors.ErrUnsupported, note: without}
	}
	return []finding{
		has(f.ArgN, "$argN", "parameters by number", "parameters are fetched by register"),
		has(f.Ustring, "ustring", "strings in user memory", "no strings from user memory (since 5.3)"),
		has(f.NotracePid, "set_event_notrace_pid", "tsnoop keeps itself out of the trace", "tsnoop's own calls show up (since 5.7)"),
		has(f.ErrorLog, "error_log", "the kernel explains refusals", "the kernel does not explain refusals (since 5.2)"),
	}
}

func checkSymbols() finding {
	f := finding{what: "symbols", note: "/proc/kallsyms"}
	if _, stext, err := proc.LoadFacts([]string{"_stext"}); err != nil || stext == 0 {
		f.err, f.note = errors.ErrUnsupported, "addresses are hidden: callers are shown as numbers"
		f.cure = "sysctl kernel.kptr_restrict=1, and run as root"
	}
	return f
}

func checkRanges() finding {
	f := finding{what: "memory map", note: "/proc/kcore tells wild pointers from good ones"}
	if _, err := proc.LoadRanges(); err != nil {
		f.err, f.note = err, "wild pointers are told from good ones by their upper bits only"
	}
	return f
}

// runClean removes what dead runs left behind.
func runClean(o *options, ui *ui) error {
	fs, err := openTracefs(o)
	if err != nil {
		return err
	}
	removed, err := fs.Clean(ui.detail)
	for _, name := range removed {
		fmt.Fprintln(ui.stdout, name)
	}
	return err
}

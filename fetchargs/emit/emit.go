// Package emit writes the probes of plans as lines for people: for tracefs, for a shell, for
// a kernel that boots.
package emit

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
)

// ofLines returns the probes that are to be defined, without their spares, which only a trace
// can use.
func ofLines(plans []*plan.Plan) []*plan.Probe {
	return slices.DeleteFunc(plan.Probes(plans), func(p *plan.Probe) bool { return p.SpareOf != nil || !p.Kind.Defined() })
}

// Tracefs writes the lines to append to kprobe_events. Comments, which that file
// skips, say what to write to which file after that. Comments for people begin with "##".
func Tracefs(w io.Writer, plans []*plan.Plan, group string, scope Scope) {
	for _, text := range append(Pasted(plans), scope.pasted()...) {
		fmt.Fprintln(w, "## "+text)
	}
	for _, p := range ofLines(plans) {
		for _, line := range p.Definitions(group) {
			if p.Kind.File() != dynevent.Kprobe.File() {
				line = "# " + shellEcho(line) + " >> " + p.Kind.File()
			}
			fmt.Fprintln(w, line)
		}
	}
	for _, set := range append(scope.settings(), existing(plans, group)...) {
		for _, line := range set.lines {
			fmt.Fprintln(w, "# "+line)
		}
	}
	for _, p := range ofLines(plans) {
		if filter := p.KernelFilter(); filter != "" {
			fmt.Fprintf(w, "# %s > %s/filter\n", shellEcho(filter), p.EventDir(group))
		}
	}
	for _, p := range ofLines(plans) {
		fmt.Fprintf(w, "# echo 1 > %s/enable\n", p.EventDir(group))
	}
}

// Shell writes a script: to paste into a root shell, or for sh. A signal ends the
// trace, and the lines that undo everything run.
//
// They are traps of the shell that a signal reaches: of a script's own, which has no
// parent that would end alone; where it was pasted, of a subshell, because they exit. A
// shell runs no trap while it waits for a program in the foreground, so the reader is
// in the background.
func Shell(w io.Writer, plans []*plan.Plan, group string, scope Scope) {
	probes, settings := ofLines(plans), append(scope.settings(), existing(plans, group)...)
	for _, text := range append(Pasted(plans), scope.pasted()...) {
		fmt.Fprintln(w, "# "+text)
	}
	fmt.Fprintln(w, "tsnoop_trace() {")
	// The first directory is there, but empty, where only debugfs is mounted.
	fmt.Fprintln(w, "cd /sys/kernel/tracing 2>/dev/null && [ -e trace_pipe ] || cd /sys/kernel/debug/tracing || exit")
	emitAbsent(w, probes, group)
	for i, set := range settings {
		fmt.Fprintf(w, "was%d=$(cat %s) || exit\n", i, set.file)
	}
	fmt.Fprintln(w, ": & none=$!") // from here on $! is a process of these lines
	emitUndo(w, probes, group, settings)
	fmt.Fprintln(w, "trap undo EXIT INT TERM HUP QUIT")
	fmt.Fprintln(w, "set -e")
	for i, p := range probes {
		for n, line := range p.Definitions(group) {
			write := shellEcho(line) + " >> " + p.Kind.File()
			if n == 0 { // a signal may come before the write or after it
				write = fmt.Sprintf("made=%d; %s || { made=%d; exit 1; }", i+1, write, i)
			}
			fmt.Fprintln(w, write)
		}
	}
	for _, set := range settings {
		for _, line := range set.lines {
			fmt.Fprintln(w, line)
		}
	}
	for _, p := range probes {
		if filter := p.KernelFilter(); filter != "" {
			fmt.Fprintf(w, "%s > %s/filter\n", shellEcho(filter), p.EventDir(group))
		}
		fmt.Fprintf(w, "echo 1 > %s/enable\n", p.EventDir(group))
	}
	fmt.Fprintln(w, "cat trace_pipe &")
	fmt.Fprintln(w, "wait $!")
	fmt.Fprintln(w, "}")
	fmt.Fprintln(w, "case $- in *i*) (tsnoop_trace) ;; *) tsnoop_trace ;; esac")
}

// emitAbsent writes lines that end where a probe of the same name exists, before anything is
// changed: it may belong to the same lines that were pasted elsewhere. The kernel does not
// refuse all of these: a probe of the same place whose values have the same names and
// types is added to the event (append_trace_kprobe in kernel/trace/trace_kprobe.c).
func emitAbsent(w io.Writer, probes []*plan.Probe, group string) {
	if len(probes) == 0 {
		return
	}
	fmt.Fprintln(w, "made=0 there=")
	// The reader of a shell that is killed goes on, and 6.12 lets nobody else read trace_pipe
	// then (open_pipe_on_cpu in kernel/trace/trace.c).
	fmt.Fprintln(w, `absent() { [ ! -e events/$1 ] || { there=1; echo "$1 exists: end the trace that it belongs to; if that was killed, to end what reads trace_pipe and to remove this, run: cd $PWD; for f in /proc/[0-9]*/fd/*; do [ \$f -ef trace_pipe ] && f=\${f#/proc/} && kill \${f%%/*}; done; echo 0 > events/$1/enable; echo -:$1 >> $2" >&2; }; }`)
	for _, p := range probes {
		fmt.Fprintf(w, "absent %s %s\n", strings.TrimPrefix(p.EventDir(group), "events/"), p.Kind.File())
	}
	fmt.Fprintln(w, `[ ! "$there" ] || exit 1`)
}

// emitUndo writes the function undo, which removes as many probes as were made. More signals
// do not stop it: timeout(1), for one, sends two. The reader is killed by what it cannot
// miss: until it is cat it is a copy of the shell, which takes other signals for its own
// traps and then forgets those. Entries are disabled before returns, which are enabled first.
func emitUndo(w io.Writer, probes []*plan.Probe, group string, settings []setting) {
	fmt.Fprintln(w, "undo() {")
	fmt.Fprintln(w, "  trap '' INT TERM HUP QUIT; trap - EXIT; set +e")
	fmt.Fprintln(w, "  [ $! = $none ] || kill -9 $! 2>/dev/null; wait")
	for i, p := range slices.Backward(probes) {
		file := p.EventDir(group)
		fmt.Fprintf(w, "  [ $made -le %d ] || [ ! -e %s/enable ] || { echo 0 > %s/enable; echo '%s' >> %s; }\n", i, file, file, dynevent.Removal(group, p.Event), p.Kind.File())
	}
	for i, set := range settings {
		fmt.Fprintln(w, "  "+strings.ReplaceAll(set.back, "$was", fmt.Sprint("$was", i)))
	}
	fmt.Fprintln(w, "  exit")
	fmt.Fprintln(w, "}")
}

// shellEcho returns a command of any POSIX shell that prints s. The echo of some
// shells, such as dash, takes a backslash for the start of an escape.
func shellEcho(s string) string {
	if strings.Contains(s, `\`) {
		return `printf '%s\n' ` + shellQuote(s)
	}
	return "echo " + shellQuote(s)
}

// shellQuote quotes s for any POSIX shell.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\\''`) + "'"
}

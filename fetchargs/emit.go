package fetchargs

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs/dynevent"
)

// Probes returns the probes of the plans, returns before entries. Of two probes on
// one function the kernel first runs the one that was defined last, and a return
// probe that ran first would hide the caller from the entry probe.
func Probes(plans []*Plan) []*Probe {
	var probes []*Probe
	for _, p := range plans {
		for _, probe := range slices.Backward(p.Probes) {
			probes = append(probes, probe)
		}
	}
	return probes
}

// EmitTracefs writes the lines to append to kprobe_events. Comments, which that file
// skips, say what to write to which file after that. Comments for people begin with "##".
func EmitTracefs(w io.Writer, plans []*Plan, group string, scope Scope) {
	for _, text := range append(Pasted(plans), scope.pasted()...) {
		fmt.Fprintln(w, "## "+text)
	}
	for _, p := range Probes(plans) {
		for _, line := range p.Definitions(group) {
			fmt.Fprintln(w, line)
		}
	}
	for _, set := range scope.settings() {
		for _, line := range set.lines {
			fmt.Fprintln(w, "# "+line)
		}
	}
	for _, p := range Probes(plans) {
		if filter := p.KernelFilter(); filter != "" {
			fmt.Fprintf(w, "# echo %s > events/%s/%s/filter\n", shellQuote(filter), group, p.Event)
		}
	}
	for _, p := range Probes(plans) {
		fmt.Fprintf(w, "# echo 1 > events/%s/%s/enable\n", group, p.Event)
	}
}

// EmitShell writes a script to paste into a root shell. It is one compound command,
// so that Ctrl-C ends the trace and the lines that undo everything still run.
func EmitShell(w io.Writer, plans []*Plan, group string, scope Scope) {
	probes, settings := Probes(plans), scope.settings()
	fmt.Fprintln(w, "(")
	for _, text := range append(Pasted(plans), scope.pasted()...) {
		fmt.Fprintln(w, "# "+text)
	}
	fmt.Fprintln(w, "cd /sys/kernel/tracing 2>/dev/null || cd /sys/kernel/debug/tracing || exit")
	for i, set := range settings {
		fmt.Fprintf(w, "was%d=$(cat %s) || exit\n", i, set.file)
	}
	fmt.Fprintln(w, "undo() {")
	fmt.Fprintln(w, "  trap - EXIT INT TERM HUP")
	for _, p := range probes {
		file := "events/" + group + "/" + p.Event
		fmt.Fprintf(w, "  [ ! -e %s/enable ] || { echo 0 > %s/enable; echo '%s' >> %s; }\n", file, file, dynevent.Removal(group, p.Event), p.Kind.File())
	}
	for i, set := range settings {
		fmt.Fprintln(w, "  "+strings.ReplaceAll(set.back, "$was", fmt.Sprint("$was", i)))
	}
	fmt.Fprintln(w, "  exit")
	fmt.Fprintln(w, "}")
	fmt.Fprintln(w, "trap undo EXIT INT TERM HUP")
	fmt.Fprintln(w, "set -e")
	for _, p := range probes {
		for _, line := range p.Definitions(group) {
			fmt.Fprintf(w, "echo %s >> %s\n", shellQuote(line), p.Kind.File())
		}
	}
	for _, set := range settings {
		for _, line := range set.lines {
			fmt.Fprintln(w, line)
		}
	}
	for _, p := range probes {
		if filter := p.KernelFilter(); filter != "" {
			fmt.Fprintf(w, "echo %s > events/%s/%s/filter\n", shellQuote(filter), group, p.Event)
		}
		fmt.Fprintf(w, "echo 1 > events/%s/%s/enable\n", group, p.Event)
	}
	fmt.Fprintln(w, "cat trace_pipe")
	fmt.Fprintln(w, ")")
}

// shellQuote quotes s for any POSIX shell.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

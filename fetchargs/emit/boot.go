package emit

import (
	"fmt"
	"io"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// Limits of what a booting kernel takes, in bytes: COMMAND_LINE_SIZE on x86 and
// arm64, and MAX_BUF_LEN of kernel/trace/trace_boot.c, each without the NUL. A
// probe has one byte less, because dynevent_arg_add puts a byte after it.
const (
	maxCommandLine = 2047
	maxBootFilter  = 255
	maxBootProbe   = 254
)

// Boot writes what defines and enables the probes at boot: a parameter of the
// kernel's command line (Documentation/trace/kprobetrace.rst, "Kernel Boot
// Parameter"). That has no place for filters or a mask of CPUs; with these EmitBoot
// writes a bootconfig (Documentation/trace/boottime-trace.rst) and reports it.
// cpuMask is as in a Scope; the rest of a Scope does not apply, because there are
// no processes yet. The error may be a [spec.Errors].
func Boot(w io.Writer, plans []*plan.Plan, group, cpuMask string) (bootconfig bool, err error) {
	probes := plan.Probes(plans)
	for _, p := range probes {
		if !p.Kind.AtFunction() {
			return false, spec.Errors{p.Plan.Spec.Errorf("trace it once the host runs", "at boot only functions are traced; %s is an event of the kernel", p.Plan.Spec.Func.Text)}
		}
	}
	bootconfig = cpuMask != ""
	for _, p := range probes {
		bootconfig = bootconfig || p.KernelFilter() != ""
	}
	if !bootconfig {
		return false, emitCommandLine(w, probes, group)
	}
	var wrong spec.Errors
	var text strings.Builder
	if cpuMask != "" {
		fmt.Fprintf(&text, "ftrace.cpumask = %s\n", bootQuote(cpuMask))
	}
	for _, p := range probes {
		if e := writeProbe(p, &text); e != nil {
			wrong = append(wrong, e)
		}
	}
	if len(wrong) > 0 {
		return true, wrong
	}
	_, err = io.WriteString(w, text.String())
	return true, err
}

func emitCommandLine(w io.Writer, probes []*plan.Probe, group string) error {
	var defs []string
	for _, p := range probes {
		for _, line := range p.Definitions(group) {
			defs = append(defs, strings.ReplaceAll(line, " ", ","))
		}
	}
	word := "kprobe_event=" + strings.Join(defs, ";")
	if len(word) > maxCommandLine {
		return spec.Errors{probes[0].Plan.Spec.Errorf("ask for less", "this needs %d characters of the kernel's command line, which has %d", len(word), maxCommandLine)}
	}
	_, err := fmt.Fprintln(w, word)
	return err
}

// writeProbe writes the probe in the form that boot-time tracing reads. It defines
// probes earlier than the command line does, and only in the group kprobes. A
// return is marked by %return after the symbol.
func writeProbe(p *plan.Probe, w *strings.Builder) *spec.Error {
	head, place := dynevent.Kprobe.Head("kprobes", p.Event, 0)+" ", p.Kind.AtBoot() // the kernel puts the same head before both
	var probes []string
	for _, line := range p.Definitions("kprobes") {
		_, value, _ := strings.Cut(line, " ")
		symbol, args, _ := strings.Cut(value, " ")
		value = strings.TrimSuffix(symbol+place+" "+args, " ")
		if n := len(head) + len(value); n > maxBootProbe {
			return p.Plan.Spec.Errorf("ask for less, or leave the condition out",
				"with a condition this is for a bootconfig, of which the kernel takes %d characters a probe, not %d", maxBootProbe, n)
		}
		probes = append(probes, bootQuote(value))
	}
	fmt.Fprintf(w, "ftrace.event.kprobes.%s {\n\tprobes = %s\n", p.Event, strings.Join(probes, ", "))
	if filter := p.KernelFilter(); filter != "" {
		if len(filter) > maxBootFilter {
			return p.Plan.Spec.Errorf("ask for less in the condition",
				"the kernel takes %d characters of a filter in a bootconfig, not %d", maxBootFilter, len(filter))
		}
		value := bootQuote(filter)
		if value == "" {
			return p.Plan.Spec.Errorf("put ? in the place of one of them", "a bootconfig cannot hold a condition with both kinds of quotes")
		}
		fmt.Fprintf(w, "\tfilter = %s\n", value)
	}
	w.WriteString("\tenable\n}\n")
	return nil
}

// bootQuote quotes a value of a bootconfig. There a value is in either kind of quotes,
// and neither can be escaped. It returns "" if s has both.
func bootQuote(s string) string {
	for _, quote := range []string{`"`, `'`} {
		if !strings.Contains(s, quote) {
			return quote + s + quote
		}
	}
	return ""
}

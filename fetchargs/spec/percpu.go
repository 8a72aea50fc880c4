package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ThisCPU is the PerCPU.CPU that stands for the CPU that the function runs on.
const ThisCPU = -1

// mostCPUs is the highest NR_CPUS that kernels are configured with.
const mostCPUs = 8192

const thisCPU, perCPU = "this_cpu", "per_cpu"

// The names in the kernel and other tools: the first take what this_cpu does, the
// others an address or a text.
var (
	likeThisCPU = strings.Fields("this_cpu_read raw_cpu_read __this_cpu_read get_cpu_var")
	otherPerCPU = strings.Fields("this_cpu_ptr raw_cpu_ptr per_cpu_ptr percpu_kaddr")
)

// perCPU parses "(" NAME ")" of this_cpu, or "(" NAME "," N ")" of per_cpu.
func (p *parser) perCPU(tok token) Expr {
	form := "write this_cpu(VARIABLE)"
	if tok.text == perCPU {
		form = "write per_cpu(VARIABLE, CPU)"
	}
	x := &PerCPU{CPU: ThisCPU}
	p.next()
	switch {
	case p.tok.kind == tokSymbol && len(p.tok.text) > 1:
		p.failFix(p.tok.Span, Fix{p.tok.Span, p.tok.text[1:]}, "write ", "the name must be without @ here")
		return nil
	case p.tok.kind != tokIdent:
		p.fail(p.tok.Span, form, "%s", p.describe())
		return nil
	}
	x.Name = Name{p.tok.text, p.tok.Span}
	p.next()
	if tok.text == perCPU {
		if !p.got(",") {
			p.failFix(p.tok.Span, Fix{x.Name.Span, x.Name.Text + ", 0"}, "name the CPU as well: ", "the number of the CPU is missing")
			return nil
		}
		n, err := strconv.ParseUint(p.tok.text, 0, 31)
		if p.tok.kind != tokNumber || err != nil || n >= mostCPUs {
			p.failFix(p.tok.Span, Fix{p.tok.Span, "0"}, "write the number of a CPU: ", "a CPU must be a number")
			return nil
		}
		x.CPU = int(n)
		p.next()
	}
	x.Span = tok.To(p.tok.Span)
	if !p.got(")") {
		p.fail(p.tok.Span, form, "%s", p.describe())
		return nil
	}
	return x
}

// readsPerCPU refuses the names that the kernel and other tools have for the same.
func (p *parser) readsPerCPU(tok token) bool {
	switch {
	case p.tok.kind != "(":
		return false
	case slices.Contains(likeThisCPU, tok.text):
		p.failFix(tok.Span, Fix{tok.Span, thisCPU}, "write ", "no functions are called here")
	case slices.Contains(otherPerCPU, tok.text):
		p.fail(tok.Span, "write this_cpu(VARIABLE) for the CPU that runs or per_cpu(VARIABLE, 0) for CPU 0; add & in front for the address",
			"no functions are called here")
	default:
		return false
	}
	return true
}

func (e *PerCPU) String() string {
	if e.CPU == ThisCPU {
		return thisCPU + "(" + e.Name.Text + ")"
	}
	return fmt.Sprintf("%s(%s, %d)", perCPU, e.Name.Text, e.CPU)
}

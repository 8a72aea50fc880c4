package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// Definitions returns the lines that define the probe when appended to
// kprobe_events, each in a write of its own. There are several if several functions
// have the same name, or one for each of CPUs; they share the event. The lines of one
// function follow each other.
func (p *Probe) Definitions(group string) []string { return p.definitions(group, dynevent.Arg.String) }

// Placed is like Definitions, for the running kernel: it uses the addresses of
// variables instead of their names, unless that makes the lines too long.
func (p *Probe) Placed(group string) []string {
	lines := p.definitions(group, func(a dynevent.Arg) string {
		text := a.String()
		if at := a.Placed().String(); len(at) <= max(len(text), dynevent.Features{}.MaxArg()) {
			return at
		}
		return text
	})
	if slices.ContainsFunc(lines, func(line string) bool { return len(line) > dynevent.MaxLine }) {
		return p.Definitions(group)
	}
	return lines
}

func (p *Probe) definitions(group string, text func(dynevent.Arg) string) []string {
	head := p.Kind.Head(group, p.Event, p.MaxActive)
	cpus := p.CPUs
	if len(cpus) == 0 {
		cpus = make([]dynevent.CPU, 1) // one definition, in which nothing depends on it
	}
	var lines []string
	for _, symbol := range p.Symbols {
		for _, cpu := range cpus {
			var line strings.Builder
			line.WriteString(head + " " + symbol + p.Kind.AfterPlace())
			for _, a := range p.Args {
				if a.Base.Each {
					a = a.On(cpu)
				}
				fmt.Fprintf(&line, " %s=%s", a.Name, text(a))
			}
			lines = append(lines, line.String())
		}
	}
	return lines
}

// Shape returns a string that is the same for probes whose records have the same
// fields. Only names, types and order matter, not how the values are fetched.
func (p *Probe) Shape() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", p.Kind)
	for _, a := range p.Args {
		fmt.Fprintf(&b, " %s %s", a.Name, a.Stored())
	}
	return b.String()
}

// Locate returns the part of the spec that the byte at column of a definition comes
// from. It is shown when the kernel reports an error at that column.
func (p *Probe) Locate(definition string, column int) spec.Span {
	whole := p.Plan.Spec.Func.Span
	if column < 0 || column >= len(definition) {
		return whole
	}
	end := strings.IndexByte(definition[column:], ' ')
	if end < 0 {
		end = len(definition) - column
	}
	start := strings.LastIndexByte(definition[:column], ' ') + 1
	name, _, isArg := strings.Cut(definition[start:column+end], "=")
	for _, a := range p.Args {
		if isArg && a.Name == name {
			return a.Span
		}
	}
	return whole
}

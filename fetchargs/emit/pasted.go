package emit

import (
	"fmt"
	"math"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Pasted returns notes to print with lines that are meant to be pasted. They say
// where the output of the kernel is not yet what the user asked for, because tsnoop
// does the rest in user space.
func Pasted(plans []*plan.Plan) []string {
	var words []string
	known := map[string]bool{}
	add := func(text string) {
		if !known[text] {
			words = append(words, text)
		}
		known[text] = true
	}
	for _, p := range plans {
		for _, probe := range p.Probes {
			if probe.Times() > 1 {
				add(comment(fmt.Sprintf("%s: one line for each of the CPUs %s; the filter keeps the event of the CPU that runs", probe.Event, dynevent.ListCPUs(probe.CPUs))))
			}
			for i := range probe.Fields {
				for _, text := range []string{left(probe, &probe.Fields[i]), stale(probe, &probe.Fields[i])} {
					if text != "" {
						add(comment(probe.Event + ": " + text))
					}
				}
			}
		}
		for _, symbol := range p.Addresses {
			add("the address of " + symbol + " is that of this boot: the next one may move it")
		}
		if p.Partial && p.Check != nil {
			add(comment(p.Spec.Func.Text + ": the filter cannot decide all of " + p.Check.Describe(p.FieldOf)))
		}
	}
	return words
}

// left says what is left to do with the value that the kernel prints.
func left(p *plan.Probe, f *value.Field) string {
	if f.Encoding == value.Nothing {
		return fmt.Sprintf("%s is not in the line: %s", f.Label, strings.TrimPrefix(f.Reason, f.Label+" is "))
	}
	if f.Dump != nil && f.Dump.Args == 0 {
		return ""
	}
	own := &p.Args[f.Arg]
	name := own.Name
	inRegisters := (f.Encoding == value.Array || f.Dump != nil) && own.Type == dynevent.X64 && own.Count == 0 && !own.Follows()
	switch {
	case f.Path != nil:
		names := f.Path.Names
		return fmt.Sprintf("%s is the last name of a path, in %s to %s are the directories", f.Label, name, p.Args[names[len(names)-1]].Name)
	case f.Dump != nil && !inRegisters:
		return pastedDump(p, f)
	case f.Split > 0:
		return fmt.Sprintf("%s is the low %d bits of %s, and above them those of %s", f.Label, f.Split, name, p.Args[f.Arg+1].Name)
	case inRegisters && f.Skip+f.Size*f.Count > 8:
		return fmt.Sprintf("%s is the bytes of %s and then %s, the lowest first, from byte %d on", f.Label, name, p.Args[f.Arg+1].Name, f.Skip)
	case inRegisters:
		return fmt.Sprintf("%s is the bytes of %s, the lowest first, from byte %d on", f.Label, name, f.Skip)
	case f.Encoding == value.Strings:
		last := &p.Fields[f.Items[len(f.Items)-1]]
		return fmt.Sprintf("%s is the texts in %s to %s, up to the first whose pointer is NULL", f.Label, p.Args[p.Fields[f.Items[0]].Arg].Name, p.Args[last.Arg].Name)
	case f.Bound != nil && f.Bound.Length >= 0:
		return fmt.Sprintf("%s has as many %s as the value of %s", name, f.Bound.Units(), p.Args[f.Bound.Length].Name)
	case f.Use != nil:
		return fmt.Sprintf("the call does not use %s with some values of %s", name, p.Args[f.Use.Arg].Name)
	case f.Whole > 0:
		return fmt.Sprintf("%s has %d bytes, of which these are the first", f.Label, f.Whole)
	case f.Add != 0:
		sign := "+"
		if f.Add < 0 {
			sign = "-"
		}
		return fmt.Sprintf("%s is %s %s %d", f.Label, name, sign, max(f.Add, -f.Add))
	case f.Encoding == value.Age:
		return fmt.Sprintf("%s is the time itself, in ns on %s", name, f.AgeClock())
	case f.BigEndian && f.Size > 1 && (f.Encoding == value.Integer || f.Encoding == value.Array):
		return fmt.Sprintf("%s is big-endian: swap its %d bytes", name, f.Size)
	case f.Encoding == value.BitField && f.Signed:
		return fmt.Sprintf("%s is signed: from %d on subtract %.0f", name, uint64(1)<<(f.Bits-1), math.Ldexp(1, f.Bits))
	}
	return ""
}

// pastedDump says where the bytes of an object are.
func pastedDump(p *plan.Probe, f *value.Field) string {
	first, last := p.Args[f.Arg].Name, p.Args[f.Arg+f.Dump.Args-1].Name
	text := fmt.Sprintf("%s is in %s", f.Label, first)
	if last != first {
		text += " to " + last
	}
	return fmt.Sprintf("%s from byte %d on, as it lies in memory", text, f.Dump.At)
}

// stale says when the value that the kernel prints is old memory and not a value.
func stale(p *plan.Probe, f *value.Field) string {
	if f.Dump != nil && f.Dump.Args == 0 {
		return ""
	}
	for _, g := range f.PointerChecks {
		if f.Encoding != value.String && g.Space != value.KernelSpace && g.ReadCheck == nil {
			return fmt.Sprintf("%s is old memory where %s=%s is in user space and not in memory", p.Args[f.Arg].Name, g.Label, p.Args[g.Arg].Name)
		}
	}
	return ""
}

// comment returns text as one line. The line is cut, because the kernel takes at
// most 4094 bytes a line, even of a comment.
func comment(text string) string {
	const most = 1000
	text = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

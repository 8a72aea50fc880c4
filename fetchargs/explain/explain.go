// Package explain says in words how the values of a plan are fetched.
package explain

import (
	"fmt"
	"io"
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Write writes how each value of the plan is fetched: its C type, the fetcharg with its
// steps, the pointers that are checked, and where the conditions are decided.
func Write(w io.Writer, p *plan.Plan) {
	fmt.Fprintf(w, "%s\n", p.Spec.Alone())
	fmt.Fprintf(w, "  %s\n", p.Func)
	if p.Starts != "" {
		fmt.Fprintln(w, "  starts a clock of the spec above, and is not shown")
	}
	for _, note := range p.Notes {
		fmt.Fprintf(w, "  note: %s\n", note)
	}
	for _, detail := range p.Details {
		fmt.Fprintf(w, "  %s\n", detail)
	}
	for _, probe := range p.Probes {
		writeProbe(w, probe)
	}
	if p.Check != nil {
		fmt.Fprintf(w, "  decided in user space: %s\n", p.Check.Describe(p.FieldOf))
	}
}

func writeProbe(w io.Writer, p *plan.Probe) {
	for _, symbol := range p.Symbols {
		fmt.Fprintf(w, "  %s of %s, event %s\n", p.Side, symbol, p.KernelEvent())
	}
	for i := range p.Fields {
		writeField(w, p, &p.Fields[i])
	}
	if len(p.CPUs) > 0 {
		fmt.Fprintf(w, "    so defined for CPU %d, and for the others of %s with what is theirs\n", p.CPUs[len(p.CPUs)-1].N, dynevent.ListCPUs(p.CPUs))
	}
	if p.Kind.Defined() {
		writeFetches(w, p)
	}
	if filter := p.KernelFilter(); filter != "" {
		fmt.Fprintf(w, "    filter: %s\n", filter)
	}
}

func writeField(w io.Writer, p *plan.Probe, f *value.Field) {
	typ := "unknown, 64 bits"
	if f.Type != nil {
		typ = btf.Name(f.Type)
	}
	switch {
	case f.Clock:
		typ = spec.ValueOf(f.Encoding == value.Who)
	case f.IsRest():
		typ = fmt.Sprintf("from byte %d on", f.Dump.At)
	}
	fmt.Fprintf(w, "    %s: %s", f.Label, typ)
	switch {
	case f.Refetched < 0:
		fmt.Fprint(w, ", if it faulted at entry")
	case f.IsRest():
	case f.Hidden:
		fmt.Fprintf(w, ", for %s only", hiddenFor(p, f))
	}
	fmt.Fprintln(w)
	if f.Encoding == value.Nothing {
		fmt.Fprintln(w, "      cannot be fetched")
		return
	}
	if f.Dump != nil {
		writeDump(w, p, f)
	} else {
		fmt.Fprintf(w, "      %s=%s\n", p.Args[f.Arg].Name, p.Args[f.Arg])
		for _, step := range steps(&p.Args[f.Arg]) {
			fmt.Fprintf(w, "        %s\n", step)
		}
		writeParts(w, p, f)
	}
	writeReading(w, f)
	if f.Add != 0 {
		fmt.Fprintf(w, "      and %+d added after reading\n", f.Add)
	}
	if f.Use != nil {
		by := p.Args[f.Use.Arg]
		fmt.Fprintf(w, "      only if the call uses it, which depends on %s=%s\n", by.Name, by)
	}
	if f.Bound != nil {
		writeBound(w, p, f)
	}
	for i := range f.PointerChecks {
		writePointerCheck(w, p, &f.PointerChecks[i])
	}
}

// writeReading writes what the reader of records puts in place of what was fetched.
func writeReading(w io.Writer, f *value.Field) {
	switch {
	case f.Encoding == value.Who:
		fmt.Fprintln(w, "      in whose place tsnoop puts the task of the call before that has started the clock")
	case f.Clock:
		fmt.Fprintln(w, "      in whose place tsnoop puts the time since the call before that has started the clock")
	case f.Encoding == value.Age:
		fmt.Fprintf(w, "      which is taken from the event's own time, in ns on %s\n", f.AgeClock())
	}
}

// writePointerCheck writes what shows whether a pointer on the way to a value could be followed.
func writePointerCheck(w io.Writer, p *plan.Probe, g *value.PointerCheck) {
	fmt.Fprintf(w, "      only if %s is %s: %s=%s\n", g.Label, g.Space, p.Args[g.Arg].Name, p.Args[g.Arg])
	if g.ReadCheck == nil {
		return
	}
	for _, i := range shownArgs(g.ReadCheck) {
		fmt.Fprintf(w, "        of user space, if %s: %s=%s\n", g.ReadCheck.Kind, p.Args[i].Name, p.Args[i])
	}
	if g.Head != nil {
		fmt.Fprintf(w, "        or else what lies on the page of the first bytes, if these could be read\n")
	}
}

// shownArgs returns the args that show whether memory could be read.
func shownArgs(p *value.ReadCheck) []int {
	if p.Kind == value.Counted || p.Kind == value.Witnessed {
		return []int{p.Read - 2, p.Read - 1 + p.Reads}
	}
	return p.Args
}

// hiddenFor says what f, which is hidden, is fetched for.
func hiddenFor(p *plan.Probe, f *value.Field) string {
	for i := range p.Fields {
		switch of := &p.Fields[i]; {
		case slices.ContainsFunc(of.Items, func(item int) bool { return &p.Fields[item] == f }):
			return "a list"
		case !of.Hidden && of.Expr == "*"+f.Label && of.Label == f.Label:
			return "recordings"
		}
	}
	return "a condition"
}

// writeBound writes how much of a field means something.
func writeBound(w io.Writer, p *plan.Probe, f *value.Field) {
	if f.Bound.Length >= 0 {
		length := p.Args[f.Bound.Length]
		fmt.Fprintf(w, "      as many %s as this value: %s=%s\n", f.Bound.Units(), length.Name, length)
	}
	if f.Bound.Result >= 0 {
		fmt.Fprintf(w, "      unless the function returned an error: %s\n", p.Args[f.Bound.Result])
	}
}

// writeDump writes how the bytes of an object are fetched, and how it is known
// that they could be read.
func writeDump(w io.Writer, p *plan.Probe, f *value.Field) {
	for _, a := range p.Args[f.Arg : f.Arg+f.Dump.Args] {
		fmt.Fprintf(w, "      %s=%s\n", a.Name, a)
	}
	if n := min(f.Whole, value.MostOfObject); f.Whole > n {
		fmt.Fprintf(w, "      only the first %s of %d\n", plural.Of(n, "byte"), f.Whole)
	}
	if f.Whole > 0 && len(f.Dump.Rest) > 0 {
		fmt.Fprintf(w, "      of %s the first %d\n", plural.Of(min(f.Whole, value.MostOfObject), "byte"), f.Count)
	}
	for i := range f.Dump.Windows {
		check := f.Dump.Windows[i].ReadCheck
		for _, arg := range shownArgs(check) {
			fmt.Fprintf(w, "      its page could be read, if %s: %s=%s\n", check.Kind, p.Args[arg].Name, p.Args[arg])
		}
	}
}

// writeParts writes which part of a value is in which arg, unless one arg is the value.
func writeParts(w io.Writer, p *plan.Probe, f *value.Field) {
	n := f.Size * f.Count
	if p.GoesOn(f) {
		next := p.Args[f.Arg+1]
		fmt.Fprintf(w, "      %s=%s\n", next.Name, next)
		for _, step := range steps(&next) {
			fmt.Fprintf(w, "        %s\n", step)
		}
	}
	switch {
	case f.Split > 0:
		fmt.Fprintf(w, "      the lower %s in the first, the upper ones in the second\n", plural.Of(f.Split, "bit"))
	case f.Encoding == value.Array && (f.Skip > 0 || n != p.Args[f.Arg].Size()):
		fmt.Fprintf(w, "      of these the %s from byte %d on\n", plural.Of(n, "byte"), f.Skip)
	}
	if f.Whole > 0 {
		fmt.Fprintf(w, "      only the first %s of %d\n", plural.Of(n, "byte"), f.Whole)
	}
}

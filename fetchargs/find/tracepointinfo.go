package find

import (
	"fmt"
	"io"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// An eventInfo is an event of the kernel's own, for people.
type eventInfo struct {
	name      string
	fields    []btf.Param // with the declarations of the kernel's source
	own       []btf.Param // fields that are not printed
	arguments []btf.Param
	words     map[string]string // by field
}

func eventSystems(t *target.Target) []string {
	if t.Tracepoints == nil {
		return nil
	}
	return t.Tracepoints.Systems()
}

func systemEvents(t *target.Target, system string) []string {
	if t.Tracepoints == nil {
		return nil
	}
	return t.Tracepoints.Events(system)
}

// describeEvents describes the events that match SYSTEM:EVENT, both of which may be globs.
func describeEvents(t *target.Target, pattern string) (all []Description) {
	system, event, _ := strings.Cut(pattern, ":")
	ofSystem, wrong := btf.Glob(system)
	match, err := btf.Glob(event)
	if wrong != nil || err != nil {
		return nil
	}
	systems := []string{system}
	if spec.IsGlob(system) {
		systems = eventSystems(t)
	}
	events := map[string][]string{} // by system
	var tracepoints []string
	for _, s := range systems {
		if !ofSystem(s) {
			continue
		}
		for _, name := range systemEvents(t, s) {
			if match(name) {
				events[s], tracepoints = append(events[s], name), append(tracepoints, tracepointFunc(name))
			}
		}
	}
	t.Kernel.Prepare(tracepoints)
	for _, s := range systems {
		for _, name := range events[s] {
			if e, err := newEventInfo(t, s, name); err == nil {
				all = append(all, e)
			}
		}
	}
	return all
}

func newEventInfo(t *target.Target, system, name string) (e eventInfo, err error) {
	job := eventJob(&spec.Spec{Module: spec.Name{Text: system}}, name)
	r := &Function{Job: &job, Target: t}
	if err := r.tracepoint(); err != nil {
		return e, err
	}
	e = eventInfo{name: r.Proto.Name, words: map[string]string{}}
	for _, p := range r.Proto.Params {
		f := r.Event.Field(p.Name)
		if enum, ok := btf.Strip(p.Type).(*btf.Enum); ok && f != nil && enum.Name == "" {
			for _, v := range enum.Values {
				e.words[p.Name] += fmt.Sprintf(" %s=%#x", v.Name, v.Value)
			}
			p.Type = named(t, f.Type, f.Size, f.Signed)
		}
		switch {
		case f == nil:
			e.arguments = append(e.arguments, p)
		case isOwn(f):
			e.own = append(e.own, p)
		default:
			e.fields = append(e.fields, p)
		}
	}
	return e, nil
}

// String returns the event as a prototype.
func (e eventInfo) String() string {
	list := make([]string, len(e.fields))
	for i, p := range e.fields {
		list[i] = btf.Declare(p.Type, p.Name)
	}
	return e.name + "(" + strings.Join(list, ", ") + ")"
}

// Describe writes the fields of the event, what the kernel calls their values, and the
// arguments of its tracepoint.
func (e eventInfo) Describe(w io.Writer) {
	fmt.Fprintf(w, "%s {\n", e.name)
	for _, p := range append(e.fields, e.own...) {
		fmt.Fprintf(w, "\t%s;", btf.Declare(p.Type, p.Name))
		if words := e.words[p.Name]; words != "" {
			fmt.Fprintf(w, " /*%s */", words)
		}
		fmt.Fprintln(w)
	}
	if len(e.arguments) > 0 {
		fmt.Fprintln(w, "\n\t/* arguments of the tracepoint */")
	}
	for _, p := range e.arguments {
		fmt.Fprintf(w, "\t%s;\n", btf.Declare(p.Type, p.Name))
	}
	fmt.Fprintln(w, "};")
}

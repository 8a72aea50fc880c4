package find

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/source"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/fetchargs/tracepoint"
)

// A spec names a tracepoint by the system and the name of its event: sched:sched_switch. Where
// a module has a function of that name, the event is meant.

// byTracepoint understands SYSTEM:EVENT, of which EVENT may be a glob.
func byTracepoint(t *target.Target, s *spec.Spec) (a Attempt, is bool, fatal error) {
	if t.Tracepoints == nil || s.Module.Text == "" {
		return a, false, nil
	}
	events := t.Tracepoints.Events(s.Module.Text)
	match, err := btf.Glob(s.Func.Text)
	if err != nil {
		return a, false, nil
	}
	named := slices.DeleteFunc(slices.Clone(events), func(name string) bool { return !match(name) })
	if absent := ofAbsent(t, s); len(named) == 0 && absent != nil {
		return newAttempt(nil, absent), true, nil
	}
	switch {
	case len(named) == 0 && (len(events) == 0 || isModule(t, s.Module.Text) || isBuiltIn(t, s)):
		return a, false, nil
	case len(named) == 0:
		return newAttempt(nil, noEvent(s, events)), true, nil
	case !spec.IsGlob(s.Func.Text):
		return newAttempt([]Job{eventJob(s, named[0])}, nil), true, nil
	}
	g := &Glob{Spec: s, Matches: len(named)}
	var jobs []Job
	for _, name := range named {
		job := eventJob(s, name)
		job.Glob = g
		jobs = append(jobs, job)
	}
	return newAttempt(jobs, nil), true, nil
}

// isModule reports whether the kernel has functions of a module of that name, or waits for it.
func isModule(t *target.Target, name string) bool {
	awaited, _ := t.Waits(name)
	return awaited || slices.Contains(t.Kernel.Modules(), moduleSymbol(name)) || slices.Contains(t.Modules, moduleSymbol(name))
}

func eventJob(s *spec.Spec, name string) Job {
	title := s.Module.Text + ":" + name
	one := s.For("", title)
	one.Module = spec.Name{}
	return Job{Spec: one, Source: source.Tracepoint, EntryPoint: title}
}

func noEvent(s *spec.Spec, events []string) *spec.Error {
	msg := "there is no event %s of %s in this kernel"
	if spec.IsGlob(s.Func.Text) {
		msg = "no event of %[2]s matches %[1]s"
	}
	list := fmt.Sprintf("list the events: tsnoop list '%s:*'; load the module first if they belong to one", s.Module.Text)
	return s.Errorf(spec.DidYouMean(btf.Suggest(s.Func.Text, slices.Values(events)), list), msg, s.Func.Text, s.Module.Text)
}

// tracepoint makes the prototype of an event: its fields, then the arguments of its tracepoint
// that have other names.
func (r *Function) tracepoint() error {
	system, name, _ := strings.Cut(r.EntryPoint, ":")
	e, err := r.Target.Tracepoints.Event(system, name)
	if err != nil { // its module may have gone just now
		return spec.ErrorWith(r.Spec.Func.Span, err, "", "the fields of %s are not known: %v", r.EntryPoint, err)
	}
	r.Event, r.arguments = e, eventArguments(r.Target, e)
	r.place, r.filters = r.eventPlace, func(field string) bool { return e.Field(field).Filters() }
	r.Proto = &btf.Func{Name: e.Title(), Return: (*btf.Void)(nil), Records: 1, Copies: 1}
	words := e.Words(func(name string) (int64, bool) {
		x, err := r.Target.Kernel.Enumerator(nil, name)
		return x, err == nil
	})
	add := func(own bool) {
		for i := range e.Fields {
			if f := &e.Fields[i]; isOwn(f) == own {
				r.Proto.Params = append(r.Proto.Params, btf.Param{Name: f.Name, Type: fieldType(r.Target, e, f, words[f.Name], r.arguments)})
			}
		}
	}
	add(false)
	shown := len(r.Proto.Params)
	add(true)
	for _, a := range r.arguments {
		if a.Name != "" && e.Field(a.Name) == nil {
			r.Proto.Params = append(r.Proto.Params, a)
		}
	}
	r.hidden = len(r.Proto.Params) - shown
	return nil
}

// isOwn reports whether a field is the kernel's own, which it does not print.
func isOwn(f *tracepoint.Field) bool { return strings.HasPrefix(f.Name, "__") }

// Argument returns the number of an argument of the tracepoint, from 1; 0 if there is none.
func (r *Function) Argument(name string) int {
	return 1 + slices.IndexFunc(r.arguments, func(p btf.Param) bool { return p.Name == name })
}

// Arguments returns the arguments of the tracepoint, as far as types say.
func (r *Function) Arguments() []btf.Param { return r.arguments }

// eventPlace returns where a probe at the event is put, in the kernel's syntax.
func (r *Function) eventPlace() string {
	switch kind, _ := r.Way.Probe(dynevent.Entry); kind {
	case dynevent.Eprobe:
		return r.Event.System + "." + r.Event.Name
	case dynevent.Tprobe:
		return r.Event.Name
	}
	return r.Event.Title()
}

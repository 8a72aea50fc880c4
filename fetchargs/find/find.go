// Package find looks up what specs name: functions of the kernel and of modules, system calls
// and tracepoints, by name or glob. For what is not there it says what there is.
package find

import (
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/source"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/fetchargs/tracepoint"
)

// A Function is the function that a spec is about, as the target has it.
type Function struct {
	*Job
	Target  *target.Target
	Symbols map[string]target.SymbolFacts // of the functions of the run; nil if not known, or not needed

	facts target.SymbolFacts // after lookUp
	known bool               // the symbol table could be read

	Proto *btf.Func
	Way   source.Way // that is being tried

	// The finder of a source can set these, unless it finds functions:
	hidden  int                     // how many of the parameters, the last, are shown only if the spec names them
	place   func() string           // where the probe is put, in the kernel's syntax
	filters func(field string) bool // whether the kernel's filter compares a field of its own event as tsnoop does

	Event     *tracepoint.Event // of a Tracepoint, else nil
	arguments []btf.Param       // of its tracepoint

	awaited  bool  // the module of the function is not loaded yet, and the run waits for it
	typesErr error // why nothing is known of the module
	// Absent is set if the module of the function is not loaded. Then the kernel does not
	// know that the probe is at the entry of a function, and refuses $arg1.
	Absent bool
}

// A naming is a way in which a spec may name what it is about. It returns false if the spec
// is to be understood in another way. The error is one that is not the spec's fault.
type naming func(t *target.Target, s *spec.Spec) (Attempt, bool, error)

// namings are tried in this order. The last understands every spec.
var namings = []naming{byTracepoint, byGlob, bySyscall, byFunction}

// A group is a source of which specs name things GROUP:NAME, as functions of a module.
type group struct {
	is       string                                               // what one of these is called
	names    func(t *target.Target) []string                      // GROUPs
	members  func(t *target.Target, name string) []string         // NAMEs of a GROUP, sorted
	describe func(t *target.Target, pattern string) []Description // of those that match GROUP:NAME
}

var groups = []group{
	{is: "system call", names: syscallGroup, members: syscallNames, describe: describeSyscalls},
	{is: "event", names: eventSystems, members: systemEvents, describe: describeEvents},
}

// finders look up what is of a source.
var finders = map[source.Source]func(*Function) error{
	source.Function:   (*Function).function,
	source.Syscall:    (*Function).syscall,
	source.Tracepoint: (*Function).tracepoint,
}

// Find looks up the function. The error is a *[spec.Error], or one that is not the spec's fault.
func (r *Function) Find() error { return finders[r.Source](r) }

// lookUp looks up the function in the symbol table.
func (r *Function) lookUp() { r.facts, r.known = r.Symbols[r.EntryPoint], r.Symbols != nil }

// Shown returns the parameters that are shown where a spec has no list.
func (r *Function) Shown() []btf.Param { return r.Proto.Params[:len(r.Proto.Params)-r.hidden] }

// Filters reports whether the filter of an event that the kernel has by itself compares a field
// as tsnoop does.
func (r *Function) Filters(field string) bool { return r.filters != nil && r.filters(field) }

// NeedSymbols reports whether the symbol table is needed to find the functions of jobs: for
// probes that are armed, or for a function that is not in BTF, or more than once in it.
func NeedSymbols(t *target.Target, jobs []Job) bool {
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(j Job) bool { return !j.Source.AtFunctions() })
	return t.Live && len(jobs) > 0 || slices.ContainsFunc(jobs, func(j Job) bool {
		if j.Call != nil {
			return false
		}
		name, _, _ := strings.Cut(j.Spec.Func.Text, ".")
		f, err := t.Kernel.Func(j.Spec.Module.Text, name)
		return err != nil || f.Records > 1
	})
}

// WithKeyword puts "type" before the name of a type that has no keyword.
func WithKeyword(name string) string {
	if strings.Contains(name, " ") {
		return name
	}
	return "type " + name
}

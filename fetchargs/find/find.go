// Package find looks up the functions that specs name: plain ones, those of globs and of
// system calls, in the kernel and in modules. For what is not there it says what there is.
package find

import (
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/source"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// A Function is the function that a spec is about, as the target has it.
type Function struct {
	*Job
	Target      *target.Target
	SymbolTable func() (map[string]target.SymbolFacts, error)

	facts target.SymbolFacts // after askSymbols
	known bool               // the symbol table could be read

	spec.Collector
	Fatal error // an error that is not the spec's fault

	Proto *btf.Func

	awaited bool  // the module of the function is not loaded yet, and the run waits for it
	untold  error // why nothing is known of the module
	// Absent is set if the module of the function is not loaded. Then the kernel does not
	// know that the probe is at the entry of a function, and refuses $arg1.
	Absent bool
}

// finders look up what is of a source. If one returns false, it has added an error, or set
// Fatal.
var finders = map[source.Source]func(*Function) bool{
	source.Function: (*Function).function,
	source.Syscall:  (*Function).syscall,
}

// Find looks up the function. If it returns false, it has added an error, or set Fatal.
func (r *Function) Find() bool { return finders[r.Source](r) }

// askSymbols looks up the function in the symbol table.
func (r *Function) askSymbols() bool {
	facts, err := r.SymbolTable()
	if err != nil {
		r.Fatal = err
		return false
	}
	r.facts, r.known = facts[r.EntryPoint], facts != nil
	return true
}

// WithKeyword puts "type" before the name of a type that has no keyword.
func WithKeyword(name string) string {
	if strings.Contains(name, " ") {
		return name
	}
	return "type " + name
}

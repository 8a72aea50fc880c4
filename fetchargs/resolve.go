package fetchargs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/btf"
)

// A Target is the kernel that specs are resolved for.
type Target struct {
	Kernel   *btf.Kernel
	Arch     *Arch
	Features Features

	// Symbols tells what the kernel's symbol table has under these names. It
	// is nil when the kernel is not this machine's. It takes long, so it is
	// called once for all specs of a run, and only if Live or for a function
	// that BTF does not know or knows more than once.
	Symbols func(names []string) (map[string]SymbolFacts, error)
	// ModuleLoaded tells whether a module is in the kernel; nil if not known.
	ModuleLoaded func(name string) bool

	// Comm is a glob for the names of the tasks whose calls are wanted, "" for
	// all. CheckComm tells whether the kernel can look for it.
	Comm string

	// Live adds what tsnoop itself needs to every probe: the task's name, the
	// caller, and the stack pointer that pairs returns with entries.
	Live bool
	// Pair has every plan see both entries and returns, with the return value.
	Pair bool
	// MaxActive is that of every return probe.
	MaxActive int
	// Nonce is put into the names of events and strings, so that text from a
	// traced program cannot pass for them. Empty for lines meant for people.
	Nonce string
}

// Features are what a kernel's tracefs/README offers.
type Features struct {
	ArgN    bool // $argN, since 4.20
	Ustring bool // ustring and +u, since 5.3
	Symbol  bool // the type symbol, since 5.0
	ArgSize int  // bytes that one fetcharg may have; 0 means 63
}

// MaxArg is the longest fetcharg, name and "=" not counted: MAX_ARGSTR_LEN in
// kernel/trace/trace_probe.h, 63 up to 7.2.
func (f Features) MaxArg() int {
	if f.ArgSize == 0 {
		return 63
	}
	return f.ArgSize
}

// SymbolFacts is what a symbol table knows of one function name.
type SymbolFacts struct {
	Offsets []uint64 // from _stext, one for each function of exactly that name; 0 where addresses are hidden
	Modules []string // modules that have one
	Clones  []string // name.isra.0 and the like
}

// Resolve makes a plan of every spec. All that is wrong is in the error, an
// Errors; the plans of the specs that are right are returned all the same, nil
// in the place of the others.
func Resolve(specs []*Spec, target *Target) ([]*Plan, error) {
	var errs Errors
	plans := make([]*Plan, len(specs))
	target.Kernel.Prepare(functions(specs))
	symbols := sync.OnceValues(func() (map[string]SymbolFacts, error) { return target.facts(specs) })
	names := map[string]int{}
	for i, spec := range specs {
		r := &resolver{target: target, spec: spec, symbolTable: symbols, events: names}
		plan := r.plan()
		if r.fatal != nil {
			return nil, r.fatal
		}
		if len(r.errs) == 0 {
			plans[i] = plan
		}
		errs = append(errs, r.errs...)
	}
	if len(errs) > 0 {
		return plans, errs
	}
	return plans, nil
}

func (t *Target) facts(specs []*Spec) (map[string]SymbolFacts, error) {
	if t.Symbols == nil {
		return nil, nil
	}
	return t.Symbols(functions(specs))
}

// functions are the names of the specs' functions, each once.
func functions(specs []*Spec) []string {
	var names []string
	for _, s := range specs {
		names = append(names, s.Func.Text)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// askSymbols looks the function up in the symbol table.
func (r *resolver) askSymbols() bool {
	facts, err := r.symbolTable()
	if err != nil {
		r.fatal = err
		return false
	}
	r.facts, r.known = facts[r.spec.Func.Text], facts != nil
	return true
}

// A resolver makes the plan of one spec.
type resolver struct {
	target *Target
	spec   *Spec
	facts  SymbolFacts    // after askSymbols
	known  bool           // the symbol table could be read
	events map[string]int // event names in use by the run

	recorded bool // values are those of a recording, in the builders

	symbolTable func() (map[string]SymbolFacts, error)

	errs  Errors
	fatal error // not the spec's fault

	fn        *btf.Func
	params    []place
	paramErrs []error

	out         *Plan
	entry, exit *builder
}

func (r *resolver) fail(at Span, hint, format string, args ...any) {
	r.failWith(at, nil, hint, format, args...)
}

func (r *resolver) failWith(at Span, err error, hint, format string, args ...any) {
	r.errs = append(r.errs, &Error{Text: r.spec.Text, Span: at, Msg: fmt.Sprintf(format, args...), Hint: hint, Err: err})
}

func (r *resolver) plan() *Plan {
	if !r.function() {
		return nil
	}
	r.params, r.paramErrs = r.locateParams(r.fn)
	r.out = &Plan{Spec: r.spec, Func: r.fn, Arch: r.target.Arch}
	symbols := r.symbols()
	r.entry = r.newBuilder(symbols, false)
	r.exit = r.newBuilder(symbols, true)

	if r.spec.Parens {
		r.items()
	} else {
		r.everything()
	}
	r.conditions()
	if len(r.errs) > 0 {
		return nil
	}
	return r.finish()
}

// register is the fetcharg of the n-th integer register, from 0.
func (r *resolver) register(n int) string {
	if r.target.Features.ArgN {
		return fmt.Sprintf("$arg%d", n+1)
	}
	return "%" + r.target.Arch.Regs[n]
}

func (r *resolver) typeNamed(name Name) (btf.Type, bool) {
	t, err := r.target.Kernel.Type(name.Text)
	if err == nil {
		return t, true
	}
	var missing *btf.NotFoundError
	if errors.As(err, &missing) {
		r.failWith(name.Span, err, didYouMean(missing.Near, ""), "there is no %s in this kernel", withKeyword(missing.Name))
	} else {
		r.failWith(name.Span, err, "", "%v", err)
	}
	return nil, false
}

// withKeyword says "type" before a type whose name does not.
func withKeyword(name string) string {
	if strings.Contains(name, " ") {
		return name
	}
	return "type " + name
}

// charArray is char[n]; nil if this BTF has no char.
func (r *resolver) charArray(n uint32) btf.Type {
	char, err := r.target.Kernel.Type("char")
	if err != nil {
		return nil
	}
	return &btf.Array{Type: char, Nelems: n}
}

// variable is the type of a kernel variable as far as BTF has it: mostly
// those per CPU only.
func (r *resolver) variable(string) btf.Type { return nil }

func didYouMean(near []string, otherwise string) string {
	if len(near) == 0 {
		return otherwise
	}
	hint := "did you mean " + strings.Join(near, ", ") + "?"
	if otherwise != "" {
		hint += " " + otherwise
	}
	return hint
}

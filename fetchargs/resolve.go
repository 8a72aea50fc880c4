package fetchargs

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// Resolve makes a plan of every spec. For a glob it makes one for each function that
// matches and can be probed. For a spec with alternatives it takes the first one that the
// target can carry out. The error is a [spec.Errors] with everything that is wrong; the
// plans of the other specs are returned all the same, with nil for each wrong spec.
func Resolve(specs []*spec.Spec, target *Target) ([]*Plan, error) {
	plans, guessed, err := resolve(specs, target, nil)
	if err != nil || target.FaultCount == nil || !counts(plans) {
		return plans, err
	}
	// Some functions may have been left out, or found in a module.
	if order := places(plans); !slices.Equal(order, guessed) {
		plans, _, err = resolve(specs, target, order)
	}
	return plans, err
}

// resolve is Resolve if the functions are probed in the given order, or if it is nil, in
// the one that it guesses and returns.
func resolve(specs []*spec.Spec, target *Target, order []string) ([]*Plan, []string, error) {
	all, err := target.attempts(specs)
	if err != nil {
		return nil, nil, err
	}
	var jobs []job
	for _, a := range all {
		jobs = append(jobs, a.jobs...)
	}
	names, typed := functions(jobs)
	if order == nil {
		order = guessedPlaces(jobs)
	}
	target.Kernel.Prepare(typed)
	run := &resolving{target: target, order: order, events: map[string]bool{}}
	run.symbols = sync.OnceValues(func() (map[string]SymbolFacts, error) {
		if target.Symbols == nil {
			return nil, nil
		}
		return target.Symbols(names, ofModules(jobs))
	})
	for _, name := range target.Taken {
		run.events[name] = true
	}
	var plans []*Plan
	var errs spec.Errors
	for _, a := range all { // first report the specs with nothing to probe
		if !a.spec.HasAlternatives() {
			errs = append(errs, a.errs...)
		}
	}
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].spec.Nth > 0 {
			n++
		}
		var found []*Plan
		var wrong spec.Errors
		if n == 1 { // why there are no jobs is reported above
			found, wrong, err = run.plans(all[0].jobs)
		} else {
			found, wrong, err = run.first(all[:n])
		}
		if err != nil {
			return nil, nil, err
		}
		plans, errs, all = append(plans, found...), append(errs, wrong...), all[n:]
	}
	if len(errs) > 0 {
		return plans, order, errs
	}
	return plans, order, nil
}

// A resolving is the state that the specs of one run share.
type resolving struct {
	target  *Target
	symbols func() (map[string]SymbolFacts, error)
	order   []string        // the functions of the run, in the order in which they are defined
	events  map[string]bool // event names in use by the run
}

// plans makes the plans of the jobs of one spec. errs holds what is wrong with the spec.
func (run *resolving) plans(jobs []job) (plans []*Plan, errs spec.Errors, fatal error) {
	for i, job := range jobs {
		r := &resolver{target: run.target, job: &job, Collector: spec.Collector{Text: job.spec.Text}, symbolTable: run.symbols, order: run.order, events: run.events}
		plan := r.plan()
		r.Errs = r.Errs.Unique()
		if plan != nil && job.call != nil {
			run.target.withVia(plan, job.call)
		}
		switch {
		case r.fatal != nil:
			return nil, nil, r.fatal
		case job.isFurther():
			plans = withNarrow(plans, plan, &job, r.Errs)
		case job.glob == nil:
			if len(r.Errs) > 0 {
				plan = nil
			}
			plans, errs = append(plans, plan), append(errs, r.Errs...)
		case len(r.Errs) > 0:
			job.glob.LeaveOut(job.spec.Func.Text, r.Errs[0])
		default:
			plan.Glob = job.glob
			plans = append(plans, plan)
		}
		if job.glob == nil {
			continue
		}
		if last := i+1 == len(jobs) || jobs[i+1].glob != job.glob; last && len(job.glob.Left) == job.glob.Matches {
			errs = append(errs, job.glob.Empty())
		}
	}
	return plans, errs, nil
}

// functions returns the sorted names of the jobs' functions, and of those whose prototypes
// come from BTF.
func functions(jobs []job) (all, typed []string) {
	for _, j := range jobs {
		if all = append(all, j.entryPoint); j.call == nil {
			typed = append(typed, j.entryPoint)
		}
	}
	slices.Sort(all)
	slices.Sort(typed)
	return slices.Compact(all), slices.Compact(typed)
}

// ofModules reports whether one of the jobs names a module.
func ofModules(jobs []job) bool {
	return slices.ContainsFunc(jobs, func(j job) bool { return j.spec.Module.Text != "" })
}

// askSymbols looks up the function in the symbol table.
func (r *resolver) askSymbols() bool {
	facts, err := r.symbolTable()
	if err != nil {
		r.fatal = err
		return false
	}
	r.facts, r.known = facts[r.entryPoint], facts != nil
	return true
}

// A resolver makes the plan of one spec.
type resolver struct {
	*job
	target *Target
	facts  SymbolFacts     // after askSymbols
	known  bool            // the symbol table could be read
	events map[string]bool // event names in use by the run
	named  []string        // those of the plan

	symbolTable func() (map[string]SymbolFacts, error)
	order       []string // the functions of the run, in the order in which they are probed

	spec.Collector
	fatal error // an error that is not the spec's fault

	fn      *btf.Func
	chosen  map[*spec.Choice]int
	timing  string     // "since" or "who" while its key or a condition is being resolved
	naming  *spec.Item // the item whose expression is walked, so that its name is not found in itself
	unshown string     // why show did not show a value

	awaited bool  // the module of the function is not loaded yet, and the run waits for it
	untold  error // why nothing is known of the module
	// absent is set if the module of the function is not loaded. Then the kernel does not
	// know that the probe is at the entry of a function, and refuses $arg1.
	absent bool

	room contentRoom // for the memory that parameters point to

	params    []route
	paramErrs []error
	argWords  int // registers and stack words that the parameters take, -1 if not known

	cpus []dynevent.CPU // of the machine, nil until something is asked that each has its own of

	out         *Plan
	entry, exit *builder
	spareless   bool // a probe needs a spare for which there is no room
}

func (r *resolver) plan() *Plan {
	if r.call != nil && !r.syscall() || r.call == nil && !r.function() {
		return nil
	}
	if r.call != nil {
		r.params, r.paramErrs = r.call.locate(r)
	} else {
		r.params, r.paramErrs = r.locateParams(r.fn)
	}
	return r.roomiest(r.attempt)
}

// attempt makes the plan with as much content of memory as there is room for.
func (r *resolver) attempt() *Plan {
	r.out = &Plan{Spec: r.spec, Func: r.fn, Arch: r.target.Arch, Macros: r.Macros()}
	symbols := r.symbols()
	r.entry = r.newBuilder(symbols, dynevent.Entry, dynevent.Kprobe)
	r.exit = r.newBuilder(symbols, dynevent.Return, dynevent.Kretprobe)
	if r.target.FaultCount != nil {
		r.entry.counter = r.counter()
	}

	if r.spec.Parens {
		r.items()
	} else {
		r.everything()
	}
	r.conditions()
	if len(r.Errs) > 0 {
		r.room.used = 0 // less content does not help
		return nil
	}
	return r.assemble()
}

// register returns the base of the n-th integer register, from 0.
func (r *resolver) register(n int) dynevent.Base {
	if r.target.Features.ArgN && !r.absent {
		return dynevent.Base{Kind: dynevent.ArgN, N: int64(n + 1)}
	}
	return dynevent.Base{Kind: dynevent.Register, Name: r.target.Arch.Regs[n]}
}

func (r *resolver) typeNamed(name spec.Name) (btf.Type, bool) {
	t, err := r.target.Kernel.Type(name.Text)
	if err == nil {
		return t, true
	}
	var missing *btf.NotFoundError
	if errors.As(err, &missing) {
		r.FailWith(name.Span, err, spec.DidYouMean(missing.Near, ""), "there is no %s in this kernel", withKeyword(missing.Name))
	} else {
		r.FailWith(name.Span, err, "", "%v", err)
	}
	return nil, false
}

// withKeyword puts "type" before the name of a type that has no keyword.
func withKeyword(name string) string {
	if strings.Contains(name, " ") {
		return name
	}
	return "type " + name
}

// charArray returns the type char[n]; nil if BTF has no char.
func (r *resolver) charArray(n uint32) btf.Type {
	char, err := r.target.Kernel.Type("char")
	if err != nil {
		return nil
	}
	return &btf.Array{Type: char, Nelems: n}
}

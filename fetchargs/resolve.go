package fetchargs

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/tracefs/dynevent"
)

// Resolve makes a plan of every spec, and of a glob one for each function that
// can be probed as it says. Of a spec with alternatives it is the first that the
// target has all of. All that is wrong is in the error, an Errors; the plans of the
// specs that are right are returned all the same, nil in the place of the others.
func Resolve(specs []*spec.Spec, target *Target) ([]*Plan, error) {
	all, err := target.attempts(specs)
	if err != nil {
		return nil, err
	}
	var jobs []job
	for _, a := range all {
		jobs = append(jobs, a.jobs...)
	}
	order, typed := functions(jobs)
	target.Kernel.Prepare(typed)
	run := &resolving{target: target, order: order, events: map[string]bool{}}
	run.symbols = sync.OnceValues(func() (map[string]SymbolFacts, error) {
		if target.Symbols == nil {
			return nil, nil
		}
		return target.Symbols(slices.Sorted(slices.Values(order)), ofModules(jobs))
	})
	for _, name := range target.Taken {
		run.events[name] = true
	}
	var plans []*Plan
	var errs spec.Errors
	for _, a := range all { // what there is nothing to probe for is told first
		if !a.spec.HasAlternatives() {
			errs = append(errs, a.errs...)
		}
	}
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].spec.Nth > 0 {
			n++
		}
		found, wrong, err := run.first(all[:n])
		if err != nil {
			return nil, err
		}
		plans, errs, all = append(plans, found...), append(errs, wrong...), all[n:]
	}
	if len(errs) > 0 {
		return plans, errs
	}
	return plans, nil
}

// A resolving is what the specs of one run have in common.
type resolving struct {
	target  *Target
	symbols func() (map[string]SymbolFacts, error)
	order   []string        // the functions of the run, as they are probed
	events  map[string]bool // event names in use by the run
}

// plans makes plans of the jobs of one spec. What is wrong with it is in errs.
func (run *resolving) plans(jobs []job) (plans []*Plan, errs spec.Errors, fatal error) {
	for i, job := range jobs {
		r := &resolver{target: run.target, job: &job, complaints: complaints{text: job.spec.Text}, symbolTable: run.symbols, order: run.order, events: run.events}
		plan := r.plan()
		r.errs = r.errs.Unique()
		if plan != nil && job.call != nil {
			run.target.withVia(plan, job.call)
		}
		switch {
		case r.fatal != nil:
			return nil, nil, r.fatal
		case job.isFurther():
			plans = withNarrow(plans, plan, &job, r.errs)
		case job.glob == nil:
			if len(r.errs) > 0 {
				plan = nil
			}
			plans, errs = append(plans, plan), append(errs, r.errs...)
		case len(r.errs) > 0:
			job.glob.LeaveOut(job.spec.Func.Text, r.errs[0])
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

// functions are the names of the jobs' functions, each once in their order, and sorted
// those whose prototypes BTF is asked for.
func functions(jobs []job) (order, typed []string) {
	seen := map[string]bool{}
	for _, j := range jobs {
		name := j.entryPoint()
		if !seen[name] {
			order = append(order, name)
		}
		if seen[name] = true; j.call == nil {
			typed = append(typed, name)
		}
	}
	slices.Sort(typed)
	return order, slices.Compact(typed)
}

// ofModules reports whether a function is one of a module that is named.
func ofModules(jobs []job) bool {
	return slices.ContainsFunc(jobs, func(j job) bool { return j.spec.Module.Text != "" })
}

// askSymbols looks the function up in the symbol table.
func (r *resolver) askSymbols() bool {
	facts, err := r.symbolTable()
	if err != nil {
		r.fatal = err
		return false
	}
	r.facts, r.known = facts[r.entryPoint()], facts != nil
	return true
}

// A resolver makes the plan of one spec.
type resolver struct {
	*job
	target *Target
	facts  SymbolFacts     // after askSymbols
	known  bool            // the symbol table could be read
	events map[string]bool // event names in use by the run

	symbolTable func() (map[string]SymbolFacts, error)
	order       []string // the functions of the run, as they are probed

	complaints
	fatal error // not the spec's fault

	fn      *btf.Func
	chosen  map[*spec.Choice]int
	naming  *spec.Item // whose expression is walked, for a name that stands for it
	unshown string     // why show has not shown a value

	awaited bool  // the function's module is still to come, and is waited for
	untold  error // why nothing is known of it
	// absent: the function's module is not loaded. Without it the kernel takes no
	// function's name for its beginning, where alone $arg1 is allowed.
	absent bool

	params    []route
	paramErrs []error
	argWords  int // registers and stack words that the parameters take, -1 if not known

	out         *Plan
	entry, exit *builder
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
	r.out = &Plan{Spec: r.spec, Func: r.fn, Arch: r.target.Arch}
	symbols := r.symbols()
	r.entry = r.newBuilder(symbols, Entry, dynevent.Kprobe)
	r.exit = r.newBuilder(symbols, Return, dynevent.Kretprobe)
	if r.target.FaultCount != nil {
		r.entry.counter = r.counter()
	}

	if r.spec.Parens {
		r.items()
	} else {
		r.everything()
	}
	r.conditions()
	r.measure()
	if len(r.errs) > 0 {
		return nil
	}
	return r.assemble()
}

// register is the fetcharg of the n-th integer register, from 0.
func (r *resolver) register(n int) Base {
	if r.target.Features.ArgN && !r.absent {
		return Base{Kind: ArgN, N: int64(n + 1)}
	}
	return Base{Kind: Register, Name: r.target.Arch.Regs[n]}
}

func (r *resolver) typeNamed(name spec.Name) (btf.Type, bool) {
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

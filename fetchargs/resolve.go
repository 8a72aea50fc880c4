package fetchargs

import (
	"errors"
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/probes"
	"github.com/tsnoop/tsnoop/fetchargs/route"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// Resolve makes a plan of every spec. For a glob it makes one for each function that
// matches and can be probed. For a spec with alternatives it takes the first one that the
// target can carry out. The error is a [spec.Errors] with everything that is wrong; the
// plans of the other specs are returned anyway, with nil for each wrong spec.
func Resolve(specs []*spec.Spec, target *target.Target) ([]*plan.Plan, error) {
	return ResolveTried(specs, target, nil)
}

// ResolveTried is like Resolve, and takes no alternative of a spec that the kernel would
// refuse: refused returns why it would. That is slow, so it is called only for specs with
// alternatives. It is nil if there is no kernel to ask.
func ResolveTried(specs []*spec.Spec, t *target.Target, refused func(*plan.Plan) (spec.Errors, error)) ([]*plan.Plan, error) {
	plans, guessed, err := resolve(specs, t, refused, nil)
	if err == nil && plan.Witnessed(plans) && plan.Faults(plans) {
		// Their faults would be taken for those of objects that are read at the same time.
		t.Witness = nil
		plans, guessed, err = resolve(specs, t, refused, nil)
	}
	if err != nil || t.FaultCount == nil || !counts(plans) {
		return plans, err
	}
	// Some functions may have been left out, or found in a module.
	if order := plan.Places(plans); !slices.Equal(order, guessed) {
		plans, _, err = resolve(specs, t, refused, order)
	}
	return plans, err
}

// resolve is ResolveTried if the functions are probed in the given order, or if it is nil,
// in the one that it guesses and returns.
func resolve(specs []*spec.Spec, t *target.Target, refused func(*plan.Plan) (spec.Errors, error), order []string) ([]*plan.Plan, []string, error) {
	all, err := find.Attempts(t, specs)
	if err != nil {
		return nil, nil, err
	}
	starters, err := starterAttempts(t, specs)
	if err != nil {
		return nil, nil, err
	}
	var jobs []find.Job
	for _, a := range append(slices.Clip(all), starters...) {
		jobs = append(jobs, a.Jobs...)
	}
	names, typed := functions(jobs)
	if order == nil {
		order = guessedPlaces(jobs)
	}
	t.Kernel.Prepare(typed)
	run := &resolving{target: t, tried: refused, order: order, events: probes.NewNames(t.Taken)}
	if t.Symbols != nil && find.NeedSymbols(t, jobs) {
		if run.symbols, err = t.Symbols(names, ofModules(jobs)); err != nil {
			return nil, nil, err
		}
	}
	var plans []*plan.Plan
	var errs spec.Errors
	for _, a := range all { // first report the specs with nothing to probe
		if !a.Spec.HasAlternatives() {
			errs = append(errs, a.Errs...)
		}
	}
	for len(all) > 0 && len(errs) < spec.MaxErrors {
		n := 1
		for n < len(all) && all[n].Spec.Nth > 0 {
			n++
		}
		var found []*plan.Plan
		var wrong spec.Errors
		if n == 1 { // why there are no jobs is reported above
			found, wrong, err = run.plans(all[0].Jobs, spec.MaxErrors)
		} else {
			found, wrong, err = run.first(all[:n])
		}
		if err != nil {
			return nil, nil, err
		}
		plans, errs, all = append(plans, found...), append(errs, wrong...), all[n:]
		if found, wrong, err = run.starters(found, starters); err != nil {
			return nil, nil, err
		}
		plans, errs = append(plans, found...), append(errs, wrong...)
	}
	if len(errs) > 0 {
		return plans, order, errs
	}
	run.share(plans)
	return plans, order, nil
}

// A resolving is the state that the specs of one run share.
type resolving struct {
	target  *target.Target
	tried   func(*plan.Plan) (spec.Errors, error)
	symbols map[string]target.SymbolFacts // of the functions of the run; nil if not needed
	order   []string                      // the functions of the run, in the order in which they are defined
	events  probes.Names                  // in use by the run
	weight  int                           // see weigh
	shares  int                           // how many probes are part of an event of many functions
}

// plans makes the plans of the jobs of one spec. errs holds what is wrong with the spec, up
// to most errors for each job.
func (run *resolving) plans(jobs []find.Job, most int) (plans []*plan.Plan, errs spec.Errors, fatal error) {
	if len(jobs) > 0 {
		if wrong := run.weighSpec(jobs[0].Spec, len(jobs)); wrong != nil {
			return nil, spec.Errors{wrong}, nil
		}
	}
	for i, job := range jobs {
		r := &resolver{
			Collector: spec.Collector{Text: job.Spec.Text, Most: most},
			fn:        &find.Function{Job: &job, Target: run.target, Symbols: run.symbols},
			order:     run.order, events: run.events,
		}
		if job.Glob != nil {
			r.Most = 1 // the others are not listed
		}
		plan := r.plan()
		if wrong := run.weigh(r, plan); wrong != nil {
			return plans, append(errs, wrong), nil
		}
		r.Errs = r.Errs.Unique()
		if plan != nil && job.Call != nil {
			withVia(run.target, plan, job.Call)
		}
		switch {
		case r.fatal != nil:
			return nil, nil, r.fatal
		case job.IsFurther():
			plans = withNarrow(plans, plan, &job, r.Errs)
		case job.Glob == nil:
			if len(r.Errs) > 0 {
				plan = nil
			}
			plans, errs = append(plans, plan), append(errs, r.Errs...)
		case len(r.Errs) > 0:
			job.Glob.LeaveOut(job.Spec.Func.Text, r.Errs[0])
		default:
			plan.Glob = job.Glob
			plans = append(plans, plan)
		}
		if job.Glob == nil {
			continue
		}
		if last := i+1 == len(jobs) || jobs[i+1].Glob != job.Glob; last && len(job.Glob.Left) == job.Glob.Matches {
			errs = append(errs, job.Glob.Empty())
		}
	}
	return plans, errs, nil
}

// functions returns the sorted names of the jobs' functions, and of those whose prototypes
// come from BTF.
func functions(jobs []find.Job) (all, typed []string) {
	for _, j := range jobs {
		if !j.Source.AtFunctions() {
			continue
		}
		if all = append(all, j.EntryPoint); j.Call == nil {
			typed = append(typed, j.EntryPoint)
		}
	}
	slices.Sort(all)
	slices.Sort(typed)
	return slices.Compact(all), slices.Compact(typed)
}

// ofModules reports whether one of the jobs names a module.
func ofModules(jobs []find.Job) bool {
	return slices.ContainsFunc(jobs, func(j find.Job) bool { return j.Spec.Module.Text != "" })
}

// A resolver makes the plan of one spec.
type resolver struct {
	spec.Collector
	fatal error // that is not the spec's fault

	fn     *find.Function
	walk   *route.Walker // of the attempt, as is the next
	enc    *encode.Encoder
	order  []string     // the functions of the run, in the order in which they are probed
	events probes.Names // in use by the run

	strict  bool   // there is another way, if in this one not all can be shown
	timing  string // "since" or "who" while its key or a condition is being resolved
	unshown string // why show did not show a value

	room contentRoom // for the memory that parameters point to

	out         *plan.Plan
	builder     *probes.Builder
	entry, exit *probes.Side
}

func (r *resolver) plan() *plan.Plan {
	var wrong *spec.Error
	if err := r.fn.Find(); errors.As(err, &wrong) {
		r.Add(wrong)
		return nil
	} else if err != nil {
		r.fatal = err
		return nil
	}
	return r.firstWay(func() *plan.Plan { return r.roomiest(r.attempt) })
}

// attempt makes the plan with as much content of memory as there is room for.
func (r *resolver) attempt() *plan.Plan {
	r.walk = route.New(r.fn)
	r.enc = encode.New(r.fn, r.walk)
	r.out = &plan.Plan{Spec: r.fn.Spec, Func: r.fn.Proto, Arch: r.fn.Target.Arch, Macros: r.walk.Macros(), NamesKnown: r.fn.Target.NamesKnown, NoCallers: r.fn.Target.NoCallers}
	r.builder = probes.New(r.fn, r.enc, r.out, r.order, r.events, &r.Collector)
	r.entry, r.exit = r.builder.Entry, r.builder.Exit

	if r.fn.Spec.Starts != "" {
		r.starts()
	} else if r.fn.Spec.Parens {
		r.items()
	} else {
		r.everything()
	}
	r.conditions()
	if len(r.Errs) > 0 {
		r.room.used = 0 // less content does not help
		return nil
	}
	r.builder.Refetch()
	if r.fn.Target.Pair && r.fn.Source.Returns() {
		r.pair()
	}
	r.prefault()
	if r.builder.Finish(); len(r.Errs) > 0 {
		return nil
	}
	return r.out
}

// pair adds the side that nothing asked for, with the return value.
func (r *resolver) pair() {
	r.entry.Used, r.exit.Used = true, true
	for _, f := range r.exit.Fields {
		if f.Label == "return" {
			return
		}
	}
	if !btf.IsVoid(r.fn.Proto.Return) {
		r.show(cond.Want{X: r.named("return"), Hidden: true})
	}
}

// remark adds what the plan is to tell of the way to a value, each remark once.
func (r *resolver) remark(remarks []route.Remark) {
	for _, m := range remarks {
		list := map[route.RemarkKind]*[]string{route.Note: &r.out.Notes, route.Detail: &r.out.Details, route.Address: &r.out.Addresses}[m.Kind]
		if !slices.Contains(*list, m.Text) {
			*list = append(*list, m.Text)
		}
	}
}

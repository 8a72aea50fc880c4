package host

import (
	"crypto/rand"
	"errors"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/measure"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// PlanOptions says what specs are resolved for. The zero value is a trace on this
// host.
type PlanOptions struct {
	// Kernel has the types. Arch is the machine's architecture and Features what its
	// tracefs offers. Each that is nil is taken from this host.
	Kernel   *btf.Kernel
	Arch     *abi.Arch
	Features *dynevent.Features

	Deep      bool               // show, with every pointer to a struct, the struct
	Chain     bool               // each plan is one step of a chain
	Pair      bool               // every call needs its entry and its return
	Measures  []*measure.Measure // what calls are aggregated by; fetched but not shown
	MaxActive int                // how many calls a return probe can follow at a time; 0 lets Arm choose
	CPUs      []int              // CPUs whose calls are wanted, nil for all
	Comm      string             // glob for the names of the tasks to trace, "" for all
	Text      bool               // text may be read, so traced programs must not be able to fake events
	Raw       bool               // events are not read as text, even with Text
	Wait      bool               // functions may be in modules that are not loaded yet
	Names     bool               // a Trace follows the names of tasks, if this host can show them: see NamesBy
	Witness   bool               // a Trace counts faults, if this host can: see WitnessPlace
	NoCallers bool               // who calls the functions is not wanted
	Kprobes   bool               // each function gets an event of its own, though one of many functions is faster
	FromFile  bool               // specs come from a file, which may take only so much memory

	// Later, if not nil, is called with each spec that only a module that is not loaded may
	// be able to carry out. With Wait such a spec has no plan then, instead of an error.
	Later func(*spec.Spec)

	// Lines means that the definitions are only shown: they contain nothing that only a
	// Trace needs, so they cannot be armed. Explained resolves them as for a trace,
	// which is not started.
	Lines, Explained bool

	Taken []string // for further plans of a trace: the names of events that are armed already
}

// elsewhere reports whether the plans are for another host. A plan that is armed is
// always armed on this one, wherever its types come from.
func (o *PlanOptions) elsewhere() bool {
	return o.Kernel != nil && o.Lines || o.Arch != nil || o.Features != nil
}

// Plan resolves specs to plans. All that is wrong with them is returned as one
// spec.Errors; without types the error wraps btf.ErrNoBTF.
func (h *Host) Plan(specs []string, o PlanOptions) ([]*plan.Plan, error) {
	target, err := h.Target(o)
	if err != nil {
		return nil, err
	}
	parsed, wrong := spec.ParseAll(specs)
	all := spec.WithStarters(parsed)
	if err := h.Gather(target, all); err != nil {
		return nil, err
	}
	var refused func(*plan.Plan) (spec.Errors, error)
	if h.FS != nil && !o.elsewhere() {
		if slices.ContainsFunc(all, hasGlob) {
			target.Traceable = h.Traceable()
			if target.Calls && !target.AsText && target.Features.Fprobe && !o.Kprobes && !o.Chain {
				target.ProbeSites = h.probeSites
			}
		}
		refused = h.refuser(target)
	}
	if o.Later != nil && o.Wait {
		parsed = slices.DeleteFunc(parsed, func(s *spec.Spec) bool {
			later := isLater(target, s, refused)
			if later {
				o.Later(s)
			}
			return later
		})
	}
	plans, err := resolve(specs, parsed, wrong, target, refused)
	if err != nil {
		return nil, err
	}
	if o.Chain {
		plans, _ = plan.Steps(plans, nil)
	}
	if !o.Lines && o.Comm != "" && slices.ContainsFunc(plans, (*plan.Plan).Paired) {
		renames, err := fetchargs.Renames(target)
		if err != nil {
			return nil, err
		}
		plans = append(plans, renames)
	}
	return plans, nil
}

// Resolve parses all specs and resolves those that are well formed, so that one
// spec.Errors has everything that is wrong, in the order of the specs. refused is that of
// fetchargs.ResolveTried.
func Resolve(texts []string, t *target.Target, refused func(*plan.Plan) (spec.Errors, error)) ([]*plan.Plan, error) {
	specs, wrong := spec.ParseAll(texts)
	return resolve(texts, specs, wrong, t, refused)
}

// resolve makes plans of specs. wrong is what is wrong with others of the texts.
func resolve(texts []string, specs []*spec.Spec, wrong spec.Errors, t *target.Target, refused func(*plan.Plan) (spec.Errors, error)) ([]*plan.Plan, error) {
	if len(wrong) >= spec.MaxErrors {
		return nil, wrong
	}
	plans, err := fetchargs.ResolveTried(specs, t, refused)
	var errs spec.Errors
	if errors.As(err, &errs) {
		wrong = append(wrong, errs...)
	} else if err != nil {
		return nil, err
	}
	if len(wrong) > 0 {
		slices.SortStableFunc(wrong, func(a, b *spec.Error) int {
			return slices.Index(texts, a.Text) - slices.Index(texts, b.Text)
		})
		return nil, wrong
	}
	return plans, nil
}

// isLater reports whether a spec has to wait until a module is loaded.
func isLater(t *target.Target, s *spec.Spec, refused func(*plan.Plan) (spec.Errors, error)) bool {
	if !find.IsLater(t, s) {
		return false
	}
	// Without types, a function can be armed by its name before it is there.
	_, err := fetchargs.ResolveTried([]*spec.Spec{s}, t, refused)
	return errors.As(err, new(spec.Errors))
}

// hasGlob reports whether a spec or one of its alternatives has a glob.
func hasGlob(s *spec.Spec) bool { return s != nil && (spec.IsGlob(s.Func.Text) || hasGlob(s.Else)) }

// nonce returns an unguessable word, so that no traced program can print something that
// looks like an event.
func nonce() string {
	return strings.ToLower(rand.Text()[:6])
}

package specs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/preset"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/specfile"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// A reloader makes a trace follow changes in the files of its specs.
type reloader struct {
	o     *flags.Options
	ui    *terminal.UI
	t     *trace.Trace
	files *fileWatch
	mu    sync.Mutex // guards everything below
	armed []string   // specs, also those that wait
	wrong string     // the last error about the current files
	later later
}

// Reload makes the trace follow its files of specs, if --reload is set, and show what those
// specs name that wait for a module when one is loaded, until stop returns.
func Reload(ctx context.Context, o *flags.Options, waiting []*spec.Spec, t *trace.Trace, ui *terminal.UI) (stop func(), err error) {
	r := &reloader{o: o, ui: ui, t: t, armed: o.Args}
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	if len(waiting) > 0 || o.Plan.Wait && o.Trace.Reload {
		r.await(ctx, &done, waiting)
	}
	if o.Trace.Reload {
		err = r.follow(ctx, &done)
	}
	stop = func() {
		cancel()
		done.Wait()
		if r.files != nil {
			r.files.close()
		}
	}
	if err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// follow makes the trace follow its files.
func (r *reloader) follow(ctx context.Context, done *sync.WaitGroup) error {
	files, err := newFileWatch()
	if err == nil {
		err = files.add(watched(r.o.Specs))
	}
	if err != nil {
		return &tracefs.HostError{Msg: fmt.Sprintf("files cannot be watched: %v", err), Hint: "run sysctl fs.inotify.max_user_instances=1024", Err: err}
	}
	for _, dir := range files.lost {
		r.ui.Warn("changes in %s are not seen: it cannot be watched", dir)
	}
	r.files = files
	done.Go(func() { files.run(ctx, func(last bool) bool { return r.reload(ctx, last) }) })
	return nil
}

// watched returns the files of specs that can change.
func watched(set *specfile.Set) []string {
	return slices.DeleteFunc(slices.Clone(set.Files), preset.Is)
}

// reload reads the files and arms the specs in them. If something is wrong, the trace
// goes on as it was. Unless last is set, a file may then be half written, and reload
// returns false.
func (r *reloader) reload(ctx context.Context, last bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	set, err := specfile.Read(r.o.Files, readWatched)
	if len(set.Specs) == 0 && err == nil {
		err = noSpecs(r.o.Files)
	}
	specs := append(slices.Clip(r.o.Typed), set.Texts()...)
	unwatched := r.files.add(watched(set))
	if err == nil && unwatched == nil && slices.Equal(specs, r.armed) {
		r.wrong = ""
		return true
	}
	if err == nil {
		err = r.arm(ctx, specs)
	}
	switch {
	case ctx.Err() != nil:
		return true
	case err == nil:
		r.armed, r.wrong = specs, ""
		return true
	case !last:
		return false
	}
	set.Locate(err)
	if message := fmt.Sprint(specs, err); message != r.wrong {
		r.wrong = message
		r.ui.Report(err)
		r.ui.Warn("the trace goes on with the specs it had")
	}
	return true
}

// arm makes the trace show these specs.
func (r *reloader) arm(ctx context.Context, specs []string) error {
	start := time.Now()
	plans, waiting, err := r.plan(specs)
	planned := time.Now()
	if err == nil {
		err = r.t.Reload(ctx, specs, plans)
	}
	if errors.Is(err, trace.ErrInterrupted) {
		return nil
	}
	if err != nil {
		return err
	}
	r.ui.Notes(plans)
	r.ui.LeftOut(plans)
	r.ui.Warn("%s", r.difference(specs))
	r.wait(waiting)
	r.ui.Detail("planned in %v, enabled in %v", planned.Sub(start).Round(time.Millisecond), time.Since(planned).Round(time.Millisecond))
	return nil
}

// plan plans those of the specs that the trace has no plans for. It also returns those that
// wait for a module.
func (r *reloader) plan(specs []string) (plans []*plan.Plan, waiting []*spec.Spec, err error) {
	po, err := target.PlanOptions(r.o)
	if err != nil {
		return nil, nil, err
	}
	po.Text, po.Later = true, func(s *spec.Spec) { waiting = append(waiting, s) }
	if plans, err = r.t.PlanFurther(specs, po); err == nil {
		err = target.CheckPlans(r.o, plans)
	}
	return plans, waiting, err
}

// difference says what has changed.
func (r *reloader) difference(specs []string) string {
	count := func(of, without []string) (n int) {
		for i, s := range of {
			if !slices.Contains(without, s) && !slices.Contains(of[:i], s) {
				n++
			}
		}
		return n
	}
	what := strings.Join(r.o.Files, ", ")
	return fmt.Sprintf("%s: %s, %d new, %d gone", what, plural.Of(len(specs)-len(r.o.Typed), "spec"), count(specs, r.armed), count(r.armed, specs))
}

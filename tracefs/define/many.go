package define

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
)

// defineMany defines the events that plans share, returns first. The plans of one that the
// kernel refuses get events of their own.
func (d *Definer) defineMany(ctx context.Context, plans []*plan.Plan) error {
	all := plan.Manys(plans)
	for _, side := range []dynevent.Side{dynevent.Return, dynevent.Entry} {
		for _, m := range all {
			if m.Kind.Side() != side || m.Functions == 0 {
				continue
			}
			if ctx.Err() != nil {
				return ErrInterrupted
			}
			d.progress(0, len(plans))
			err := d.defineOne(m)
			var refused *tracefs.KernelError
			if err != nil && (!errors.As(err, &refused) || ofHost(err)) {
				return err
			}
			if err == nil {
				continue
			}
			d.Warner.Detailf("the kernel refuses one event for %d functions, so each gets one of its own: %v", m.Functions, err)
			for _, p := range plans {
				if slices.ContainsFunc(p.Probes, func(p *plan.Probe) bool { return p.Share != nil && p.Share.Of == m }) {
					p.Separate()
				}
			}
		}
	}
	for _, m := range all { // of those that others were separated from
		if m.Functions == 0 {
			if err := d.Session.Remove(m.Event); err != nil {
				return err
			}
		}
	}
	return nil
}

// defineOne defines one event and its filter.
func (d *Definer) defineOne(m *plan.Many) error {
	err := errors.ErrUnsupported
	if n := m.MaxActive; n > 0 {
		err = d.Session.Define(m.Kind.File(), m.Definition(d.Session.Group(), n))
	}
	if err != nil { // since 6.14 there is no such number
		err = d.Session.Define(m.Kind.File(), m.Definition(d.Session.Group(), 0))
	}
	if err != nil || m.Filter == "" {
		return err
	}
	return d.Session.SetFilter(m.Event, m.Filter)
}

// chooseMany is ChooseMaxActive for events of many functions. Up to 6.13 the kernel follows two
// calls a function and CPU at a time, over all functions (fprobe_init_rethook in
// kernel/trace/fprobe.c), later as many as the stack of each task has room for.
func chooseMany(plans []*plan.Plan) {
	for _, m := range plan.Manys(plans) {
		if m.Kind.Side() == dynevent.Return && 2*m.Functions*runtime.NumCPU() < dynevent.MostActive {
			m.MaxActive = dynevent.MostActive
		}
	}
}

package arm

import (
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs/amend"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// Layouts reads how the kernel lays out the records of some plans.
func (a *Probes) Layouts(plans []*plan.Plan) ([]amend.Layout, error) {
	probes := plan.Probes(plans)
	var events []string
	shapes := make(map[string]string, len(probes))
	for _, p := range probes {
		event := p.KernelEvent()
		if _, known := shapes[event]; known {
			continue
		}
		if events = append(events, event); p.Share != nil {
			shapes[event] = event // one of its own
		} else {
			shapes[event] = p.Shape()
		}
	}
	formats, err := a.Session.Formats(events, func(event string) string { return shapes[event] })
	if err != nil {
		return nil, err
	}
	all := make([]amend.Layout, len(probes))
	for i, p := range probes {
		if all[i], err = a.Stream.Understand(p, formats[p.KernelEvent()]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Learn reads how the kernel lays out the records of the plans that are defined, and if they
// are recorded, those with stacks and of new tasks.
func (a *Probes) Learn(stacks, newTasks bool) error {
	all, err := a.Layouts(a.Stream.Plans)
	if err != nil {
		return err
	}
	most := 0 // number of a share
	for _, l := range all {
		if a.Stream.Take(l); l.Probe.Share != nil {
			most = max(most, l.Probe.Share.Number)
		}
	}
	for _, f := range a.Stream.Formats {
		if f.Shared() {
			a.Session.Tally().Share(f.ID, f, most)
		}
	}
	if stacks {
		f, err := a.Session.StackFormat()
		if err != nil {
			return err
		}
		a.Stream.LearnStacks(f)
	}
	if !newTasks {
		return nil
	}
	f, err := a.Session.NewTaskFormat()
	if err != nil {
		return err
	}
	return a.Stream.LearnNewTasks(f)
}

// Mapped returns which kernel addresses are mapped, nil if that is not known or nobody
// asks. more says that further plans may ask.
func (a *Probes) Mapped(more bool) proc.Ranges {
	for _, p := range plan.Probes(a.Stream.Plans) {
		for _, f := range p.Fields {
			more = more || len(f.PointerChecks) > 0
		}
	}
	if !more {
		return nil
	}
	ranges, err := proc.LoadRanges()
	if err != nil {
		a.Stream.Warner.Detailf("%v: bad kernel pointers are detected by their upper bits only", err)
	}
	return ranges
}

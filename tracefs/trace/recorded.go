package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/store"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/amend"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/tasks"
)

// recorded is what tsnoop stores in a trace.dat for itself, as JSON.
type recorded struct {
	Start  uint64          // ns on the trace clock
	Wall   int64           // ns to add to the trace clock to get the time since 1970
	Steps  []wallStep      `json:",omitempty"` // when that changed
	Group  string          // group of the events
	Ranges proc.Ranges     `json:",omitempty"` // mapped kernel addresses
	Plans  json.RawMessage // written by fetchargs.Save

	Leads amend.Leads `json:",omitempty"` // if ages need them

	Some bool              `json:",omitempty"` // not all threads were recorded
	CPUs []int             `json:",omitempty"` // the calls that are shown begin on these
	Kin  *tasks.OwnThreads `json:",omitempty"` // threads that were recorded

	Origin    *tracefs.Origin `json:",omitempty"`
	Processes [][]int         `json:",omitempty"` // when the trace began: the ID of each and those of its other threads

	// When the trace was whole, Spans by the index of the plan.
	savedSpans
	Spans map[int][]span `json:",omitempty"`
}

// recorded returns what to store of a trace, whose end is known if it has ended.
func (t *Trace) recorded(origin *tracefs.Origin) ([]byte, error) {
	plans, err := store.Save(t.plans)
	if err != nil {
		return nil, err
	}
	leads := t.amend.LookAtClocks()
	steps := t.wall.all()
	whole, spans := t.spans.save(t.plans)
	return json.Marshal(recorded{savedSpans: whole, Spans: spans, Leads: leads, Start: t.start, Wall: t.wall.at(0), Steps: steps[min(1, len(steps)):], Group: t.session.Group(), Ranges: t.ranges, Plans: plans, Some: t.pids, CPUs: t.cpus, Kin: t.own,
		Origin: origin, Processes: t.processes.Save()})
}

// formatOf maps a recorded probe to the format of its events.
type formatOf map[*plan.Probe]*tracefs.Format

// ownPlans returns the plans that tsnoop has recorded.
func (r *File) ownPlans() ([]*plan.Plan, formatOf, error) {
	if err := store.CheckJSON(r.file.Tsnoop); err != nil {
		return nil, nil, err
	}
	var rec recorded
	if err := store.Strictly(r.file.Tsnoop, &rec); err != nil {
		return nil, nil, r.newer(err)
	}
	r.start, r.cpus, r.origin = rec.Start, rec.CPUs, rec.Origin
	for _, step := range append([]wallStep{{Add: rec.Wall}}, rec.Steps...) {
		r.wall.set(step.From, step.Add)
	}
	r.amend = amend.New(r.order, amend.Times{Clock: r.file.Clock, Leads: rec.Leads})
	r.some = rec.Some
	if len(rec.Ranges) > 0 {
		r.mapped = rec.Ranges.Contains
	}
	plans, err := store.Load(rec.Plans)
	if err != nil {
		return nil, nil, r.newer(err)
	}
	r.spans = newSpans(nil, nil)
	r.spans.load(plans, rec.savedSpans, rec.Spans)
	if err := r.findThreads(rec.Kin, rec.Processes); err != nil {
		return nil, nil, err
	}
	formats, err := r.formatsOf(plans, rec.Group)
	return plans, formats, err
}

// formatsOf finds the formats of the events of plans, whose own are in a group.
func (r *File) formatsOf(plans []*plan.Plan, group string) (formatOf, error) {
	type event struct{ system, name string }
	known := map[event]*tracefs.Format{}
	systems := map[string]bool{}
	for _, p := range plan.Probes(plans) {
		system, _ := p.System(group)
		systems[system] = true
	}
	for _, e := range r.file.Events {
		if !systems[e.System] {
			continue
		}
		f, err := tracefs.ParseFormat(strings.NewReader(e.Text))
		if err != nil {
			return nil, err
		}
		known[event{e.System, f.Name}] = f
	}
	formats := formatOf{}
	for _, p := range plan.Probes(plans) {
		system, name := p.System(group)
		if formats[p] = known[event{system, name}]; formats[p] == nil {
			return nil, fmt.Errorf("the format of %s is not in the file", p.Event)
		}
	}
	return formats, nil
}

// findThreads restores which threads were recorded, and the processes of all threads.
func (r *File) findThreads(k *tasks.OwnThreads, of [][]int) error {
	r.own = k
	if of != nil {
		r.processes = tasks.LoadProcesses(of)
	}
	if r.own == nil && r.processes == nil {
		return nil
	}
	for _, e := range r.file.Events {
		if e.System != "task" {
			continue
		}
		f, err := tracefs.ParseFormat(strings.NewReader(e.Text))
		if err != nil {
			return err
		}
		return r.learnNewTasks(f)
	}
	return tasks.ErrNoNewTasks
}

// newer adds to an error about a version that this program does not know which one does.
func (r *File) newer(err error) error {
	if !errors.Is(err, store.ErrNewer) || r.file.Recorder == "" {
		return err
	}
	return fmt.Errorf("%w: %s recorded it, replay it with that release or a later one", err, r.file.Recorder)
}

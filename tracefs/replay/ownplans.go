package replay

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/store"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/stream"
	"github.com/tsnoop/tsnoop/tracefs/tasks"
)

// formatOf maps a recorded probe to the format of its events.
type formatOf map[*plan.Probe]*tracefs.Format

// ownPlans returns the plans that tsnoop has recorded.
func (r *File) ownPlans() ([]*plan.Plan, formatOf, error) {
	if err := store.CheckJSON(r.file.Tsnoop); err != nil {
		return nil, nil, err
	}
	var rec stream.Saved
	if err := store.Strictly(r.file.Tsnoop, &rec); err != nil {
		return nil, nil, r.newer(err)
	}
	if err := r.Load(&rec, r.file.Clock); err != nil {
		return nil, nil, r.newer(err)
	}
	r.some = rec.Some
	if err := r.findThreads(); err != nil {
		return nil, nil, err
	}
	formats, err := r.formatsOf(r.Plans, rec.Group)
	return r.Plans, formats, err
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

// findThreads learns from the events of new tasks, if that is needed to know whose calls
// are shown.
func (r *File) findThreads() error {
	if r.Own == nil && r.Processes == nil {
		return nil
	}
	for _, e := range r.file.Events {
		system, name, _ := strings.Cut(tracefs.NewTaskEvent, "/")
		if e.System != system {
			continue
		}
		f, err := tracefs.ParseFormat(strings.NewReader(e.Text))
		if err != nil {
			return err
		}
		if f.Name == name { // others of that system may have been asked for
			return r.LearnNewTasks(f)
		}
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

package trace

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/tracefs"
)

// formatOf tells which format a recorded probe's events have.
type formatOf map[*fetchargs.Probe]*tracefs.Format

// ownPlans are those that tsnoop has recorded.
func (r *File) ownPlans() ([]*fetchargs.Plan, formatOf, error) {
	var rec recorded
	if err := json.Unmarshal(r.file.Tsnoop, &rec); err != nil {
		return nil, nil, err
	}
	r.start, r.wall, r.cpus = rec.Start, rec.Wall, rec.CPUs
	if len(rec.Ranges) > 0 {
		r.mapped = rec.Ranges.Contains
	}
	plans, err := fetchargs.Load(rec.Plans)
	if err != nil {
		return nil, nil, err
	}
	r.checkRecorded(plans, rec.Elsewhere)
	byName := map[string]*tracefs.Format{}
	for _, e := range r.file.Events {
		if e.System != rec.Group {
			continue
		}
		f, err := tracefs.ParseFormat(strings.NewReader(e.Text))
		if err != nil {
			return nil, nil, err
		}
		byName[f.Name] = f
	}
	if err := r.findThreads(rec.Kin); err != nil {
		return nil, nil, err
	}
	formats := formatOf{}
	for _, p := range fetchargs.Probes(plans) {
		if formats[p] = byName[p.Event]; formats[p] == nil {
			return nil, nil, fmt.Errorf("the format of %s is not in the file", p.Event)
		}
	}
	return plans, formats, nil
}

// checkRecorded looks for recordings that older programs have made, in which it
// cannot be told which return belongs to which entry: see package calls.
func (r *File) checkRecorded(plans []*fetchargs.Plan, elsewhere bool) {
	for _, p := range plans {
		if p.Paired() && (elsewhere || p.Entry.Chooses() && p.Return.Chooses()) {
			r.apart = true
		}
	}
	if r.apart {
		r.warn("%s was recorded by an older tsnoop, which left out entries and returns: which belong together is not known, and each is shown by itself", r.name)
	}
}

// findThreads makes known of whose threads the recording is.
func (r *File) findThreads(k *ownThreads) error {
	if k == nil {
		return nil
	}
	r.own = k
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
	return errNoNewTasks
}

// foreignPlans are one for each event that another tool can have recorded.
func (r *File) foreignPlans() ([]*fetchargs.Plan, formatOf, error) {
	arch := abi.Named("amd64")
	for word := range strings.FieldsSeq(r.file.Uname) {
		if a := abi.Named(word); a != nil {
			arch = a // the machine is the last of the words
		}
	}
	var plans []*fetchargs.Plan
	formats := formatOf{}
	for _, e := range r.file.Events {
		f, err := tracefs.ParseFormat(strings.NewReader(e.Text))
		if err != nil {
			r.detail("an event of %s is not shown: %v", e.System, err)
			continue
		}
		f.Group = e.System
		var columns []fetchargs.Column
		for _, field := range f.Fields {
			if strings.HasPrefix(field.Name, "common_") {
				continue
			}
			columns = append(columns, fetchargs.Column{
				Name: field.Name, Type: field.Type, Size: field.Size, Signed: field.Signed,
				DataLoc: field.DataLoc, Array: field.Array, Format: f.Conversion(field.Name),
			})
		}
		plan := fetchargs.FromEvent(e.System, f.Name, columns, arch)
		plans = append(plans, plan)
		formats[plan.Entry] = f
	}
	r.start = r.first()
	return plans, formats, nil
}

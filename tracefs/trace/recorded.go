package trace

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// recorded is what tsnoop stores in a trace.dat for itself, as JSON.
type recorded struct {
	Start  uint64          // ns on the trace clock
	Wall   int64           // ns to add to the trace clock to get the time since 1970
	Steps  []wallStep      `json:",omitempty"` // when that changed
	Group  string          // group of the events
	Ranges proc.Ranges     `json:",omitempty"` // mapped kernel addresses
	Plans  json.RawMessage // written by fetchargs.Save

	Leads leads `json:",omitempty"` // if ages need them

	Some bool        `json:",omitempty"` // not all threads were recorded
	CPUs []int       `json:",omitempty"` // the calls that are shown begin on these
	Kin  *ownThreads `json:",omitempty"` // threads that were recorded

	Threads map[int][]int `json:",omitempty"` // further threads of each process at the beginning or the end

	// When the trace was whole, Spans by the index of the plan.
	savedSpans
	Spans map[int][]span `json:",omitempty"`
}

// recorded returns what to store of a trace.
func (t *Trace) recorded() ([]byte, error) {
	plans, err := fetchargs.Save(t.plans)
	if err != nil {
		return nil, err
	}
	if t.ages.any() {
		t.ages.look()
	}
	steps := t.wall.all()
	t.addThreads()
	whole, spans := t.spans.save(t.plans)
	return json.Marshal(recorded{savedSpans: whole, Spans: spans, Leads: t.ages.leads, Start: t.start, Wall: t.wall.at(0), Steps: steps[min(1, len(steps)):], Group: t.session.Group(), Ranges: t.ranges, Plans: plans, Some: t.pids, Threads: t.threads, CPUs: t.cpus, Kin: t.own})
}

// formatOf maps a recorded probe to the format of its events.
type formatOf map[*fetchargs.Probe]*tracefs.Format

// ownPlans returns the plans that tsnoop has recorded.
func (r *File) ownPlans() ([]*fetchargs.Plan, formatOf, error) {
	if err := fetchargs.CheckJSON(r.file.Tsnoop); err != nil {
		return nil, nil, err
	}
	var rec recorded
	if err := json.Unmarshal(r.file.Tsnoop, &rec); err != nil {
		return nil, nil, err
	}
	r.start, r.cpus = rec.Start, rec.CPUs
	for _, step := range append([]wallStep{{Add: rec.Wall}}, rec.Steps...) {
		r.wall.set(step.From, step.Add)
	}
	r.ages = ages{clock: r.file.Clock, leads: rec.Leads}
	r.some = rec.Some
	if len(rec.Ranges) > 0 {
		r.mapped = rec.Ranges.Contains
	}
	plans, err := fetchargs.Load(rec.Plans)
	if err != nil {
		return nil, nil, err
	}
	r.spans = newSpans(nil, nil)
	r.spans.load(plans, rec.savedSpans, rec.Spans)
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
	if len(rec.Threads) > 0 {
		r.processes = recordedProcesses(rec.Threads)
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

// findThreads restores which threads were recorded.
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

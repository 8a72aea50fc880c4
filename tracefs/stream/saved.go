package stream

import (
	"encoding/json"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/store"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/amend"
	"github.com/tsnoop/tsnoop/tracefs/losses"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/tasks"
)

// Saved is what tsnoop stores in a trace.dat for itself, as JSON.
type Saved struct {
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

	losses.Kept

	// When the trace was whole, Spans by the index of the plan.
	savedSpans
	Spans map[int][]span `json:",omitempty"`
}

// Save returns what a recording stores of r, whose end is in it if it has come.
func (r *Stream) Save() (*Saved, error) {
	plans, err := store.Save(r.Plans)
	if err != nil {
		return nil, err
	}
	steps := r.Wall.all()
	s := &Saved{
		Start: r.Start, Wall: r.Wall.At(0), Steps: steps[min(1, len(steps)):], Leads: r.Amend.LookAtClocks(),
		Plans: plans, Kept: r.Kept, CPUs: r.CPUs, Kin: r.Own, Origin: r.Origin, Processes: r.Processes.Save(),
	}
	s.savedSpans, s.Spans = r.Spans.save(r.Plans)
	return s, nil
}

// Resave returns what a recording has stored of r, as JSON, with the spans of plans as they are
// now. Unlike Save, it may be called from any goroutine.
func (r *Stream) Resave(stored []byte, plans []*plan.Plan) ([]byte, error) {
	var s Saved
	if err := json.Unmarshal(stored, &s); err != nil {
		return nil, err
	}
	s.Kept = r.Kept
	s.savedSpans, s.Spans = r.Spans.save(plans)
	return json.Marshal(s)
}

// Load restores what Save has saved, on events whose times are of a clock. NewTasks must
// still be learned.
func (r *Stream) Load(s *Saved, clock string) (err error) {
	r.Start, r.Kept, r.CPUs, r.Origin, r.Own = s.Start, s.Kept, s.CPUs, s.Origin, s.Kin
	for _, step := range append([]wallStep{{Add: s.Wall}}, s.Steps...) {
		r.Wall.Set(step.From, step.Add)
	}
	r.Amend = amend.New(r.Order, amend.Times{Clock: clock, Leads: s.Leads})
	if len(s.Ranges) > 0 {
		r.Mapped = s.Ranges.Contains
	}
	if s.Processes != nil {
		r.Processes = tasks.LoadProcesses(s.Processes)
	}
	if r.Plans, err = store.Load(s.Plans); err != nil {
		return err
	}
	r.Spans = NewSpans(nil, nil)
	r.Spans.load(r.Plans, s.savedSpans, s.Spans)
	return nil
}

package store

import (
	"errors"
	"math"

	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
)

// savedClock is the saved encoding of the time of a clock. It has a word of its own because
// saved forms have no member for [value.Field.Clock].
const savedClock = math.MaxUint8

// A savedTimer is the saved form of a Clock.
type savedTimer struct {
	Text   string     `json:"text"`
	Key    int        `json:"key"`              // numbers of fields
	Second int        `json:"second,omitempty"` // 1 plus that of a second key
	Name   string     `json:"name,omitempty"`
	Age    int        `json:"age"` // of what the clock shows
	Start  *savedTest `json:"start,omitempty"`
	End    *savedTest `json:"end,omitempty"`
}

func saveClocks(clocks []plan.Clock) (all []savedTimer) {
	for i := range clocks {
		c := &clocks[i]
		s := savedTimer{Text: c.Text, Key: c.KeyFields[0], Name: c.Name, Age: c.ShownField, Start: saveTest(c.Start), End: saveTest(c.End)}
		if len(c.KeyFields) > 1 {
			s.Second = 1 + c.KeyFields[1]
		}
		all = append(all, s)
	}
	return all
}

func loadClocks(saved []savedTimer, p *plan.Plan) (all []plan.Clock, err error) {
	for i := range saved {
		c, err := saved[i].load(p)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// load refuses clocks on anything but the first entry probe.
func (s *savedTimer) load(p *plan.Plan) (c plan.Clock, err error) {
	c = plan.Clock{Text: s.Text, KeyFields: []int{s.Key}, ShownField: s.Age, Name: s.Name}
	if s.Second != 0 {
		c.KeyFields = append(c.KeyFields, s.Second-1)
	}
	entry := p.Entry()
	isField := func(i int) bool { return entry != nil && i >= 0 && i < len(entry.Fields) }
	shows := isField(c.ShownField) && entry.Fields[c.ShownField].Clock
	if !isField(s.Key) || s.Second != 0 && !isField(s.Second-1) || !shows && p.Starts == "" {
		return c, errors.New("a clock without what it needs")
	}
	for _, cond := range []struct {
		saved *savedTest
		test  **cond.Test
	}{{s.Start, &c.Start}, {s.End, &c.End}} {
		if cond.saved == nil {
			continue
		}
		t, err := cond.saved.load(p, 0)
		if err != nil {
			return c, err
		}
		if !t.IsOf(dynevent.Entry, 0) {
			return c, errors.New("a clock that asks for more than its record")
		}
		*cond.test = t
	}
	return c, nil
}

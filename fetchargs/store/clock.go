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
	Text  string     `json:"text"`
	Key   int        `json:"key"` // numbers of fields
	Age   int        `json:"age"` // of what the clock shows
	Start *savedTest `json:"start,omitempty"`
	End   *savedTest `json:"end,omitempty"`
}

func saveClocks(clocks []plan.Clock) (all []savedTimer) {
	for i := range clocks {
		c := &clocks[i]
		all = append(all, savedTimer{c.Text, c.KeyField, c.ShownField, saveTest(c.Start), saveTest(c.End)})
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
	c = plan.Clock{Text: s.Text, KeyField: s.Key, ShownField: s.Age}
	entry := p.Entry()
	if entry == nil || c.KeyField < 0 || c.KeyField >= len(entry.Fields) || c.ShownField < 0 || c.ShownField >= len(entry.Fields) || !entry.Fields[c.ShownField].Clock {
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

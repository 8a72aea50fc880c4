package plan

import (
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Clock is one [spec.Since] of a plan.
type Clock struct {
	Text       string     // of the spec
	KeyFields  []int      // indexes into the Fields of the first entry probe, at most MaxKeys
	ShownField int        // the same
	Start, End *cond.Test // on fields of that probe; a nil start is every call, a nil end none

	// Name is set if calls of another plan start the clock, and every call of this one ends it.
	// That plan Starts a clock of this name, and has only its keys.
	Name string
}

// StartsClockOf reports whether calls of p start a clock of another plan.
func (p *Plan) StartsClockOf(other *Plan) bool {
	return slices.ContainsFunc(other.Clocks, func(c Clock) bool { return p.Starts != "" && c.Name == p.Starts })
}

// MaxKeys is how many keys a clock has at most.
const MaxKeys = 2

// Arg returns the index of the entry's Arg whose place in the record is for the time, in 8
// bytes, or for the task, in [value.TaskSize] bytes.
func (c *Clock) Arg(entry *Probe) int { return entry.Fields[c.ShownField].Arg }

// InHead reports whether the time is for the head of the record, which is not a field.
func (c *Clock) InHead(entry *Probe) bool { return entry.Args[c.Arg(entry)].Base == dynevent.Head }

// Who reports whether the clock shows the task that started it, not the time since.
func (c *Clock) Who(entry *Probe) bool { return entry.Fields[c.ShownField].Encoding == value.Who }

// Key returns the keys of a call. ok is false if they could not be read.
func (c *Clock) Key(d *value.Decoder, data []byte) (key [MaxKeys]uint64, ok bool) {
	for i, field := range c.KeyFields {
		v := d.Value(field, data)
		if v.Kind != value.Uint && v.Kind != value.Int {
			return key, false
		}
		key[i] = v.Uint
	}
	return key, true
}

// Starts reports whether a call starts the clock of its key.
func (c *Clock) Starts(entry *Probe, d *value.Decoder, data []byte) bool {
	if entry.Plan.Starts != "" {
		return entry.Plan.Check == nil || holdsAtEntry(entry.Plan.Check, entry, d, data)
	}
	return c.Name == "" && (c.Start == nil || holdsAtEntry(c.Start, entry, d, data))
}

// Ends reports whether a call stops the clock of its key.
func (c *Clock) Ends(entry *Probe, d *value.Decoder, data []byte) bool {
	if c.Name != "" {
		return entry.Plan.Starts == ""
	}
	return c.End != nil && holdsAtEntry(c.End, entry, d, data)
}

// holdsAtEntry decides t, which is on fields of an entry probe.
func holdsAtEntry(t *cond.Test, entry *Probe, d *value.Decoder, data []byte) bool {
	return t.Holds(&cond.Took{}, func(o cond.Operand) (*value.Field, value.Value) {
		return &entry.Fields[o.Index], d.Value(o.Index, data)
	})
}

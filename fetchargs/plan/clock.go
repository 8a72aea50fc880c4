package plan

import (
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Clock is one [spec.Since] of a plan.
type Clock struct {
	Text                 string     // of the spec
	KeyField, ShownField int        // indexes into the Fields of the first entry probe
	Start, End           *cond.Test // on fields of that probe; a nil start is every call, a nil end none
}

// Arg returns the index of the entry's Arg whose place in the record is for the time, in 8
// bytes, or for the task, in [value.TaskSize] bytes.
func (c *Clock) Arg(entry *Probe) int { return entry.Fields[c.ShownField].Arg }

// Who reports whether the clock shows the task that started it, not the time since.
func (c *Clock) Who(entry *Probe) bool { return entry.Fields[c.ShownField].Encoding == value.Who }

// Key returns the key of a call. ok is false if it could not be read.
func (c *Clock) Key(d *value.Decoder, data []byte) (key uint64, ok bool) {
	v := d.Value(c.KeyField, data)
	return v.Uint, v.Kind == value.Uint || v.Kind == value.Int
}

// Starts reports whether a call starts the clock of its key.
func (c *Clock) Starts(entry *Probe, d *value.Decoder, data []byte) bool {
	return c.Start == nil || holdsAtEntry(c.Start, entry, d, data)
}

// Ends reports whether a call stops the clock of its key.
func (c *Clock) Ends(entry *Probe, d *value.Decoder, data []byte) bool {
	return c.End != nil && holdsAtEntry(c.End, entry, d, data)
}

// holdsAtEntry decides t, which is on fields of an entry probe.
func holdsAtEntry(t *cond.Test, entry *Probe, d *value.Decoder, data []byte) bool {
	return t.Holds(&cond.Took{}, func(o cond.Operand) (*value.Field, value.Value) {
		return &entry.Fields[o.Index], d.Value(o.Index, data)
	})
}

package plan

import (
	"cmp"

	"github.com/tsnoop/tsnoop/fetchargs/filter"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// IsOwn reports whether the plan is tsnoop's own: nobody asked to see its calls.
func (p *Plan) IsOwn() bool { return p.Renames != "" || p.Starts != "" }

// UserText returns the text of the user's spec that the plan was made for.
func (p *Plan) UserText() string { return cmp.Or(p.Spec.Of, p.Spec.Text) }

// Renamed decodes an event of a plan of fetchargs.Renames. It returns the task whose name
// changes, and reports whether the new name no longer matches.
func (p *Plan) Renamed(d *value.Decoder, data []byte) (tid int, out bool) {
	pid, name := d.Value(0, data), d.Value(1, data)
	if pid.Kind != value.Int {
		return 0, false
	}
	return int(int32(pid.Uint)), name.Kind != value.Text || !filter.Match(p.Renames, string(name.Bytes[:min(len(name.Bytes), filter.CommLen)]))
}

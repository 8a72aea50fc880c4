package replay

import (
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
)

// textFormat lays out the records that are made from a probe's events as a 64-bit
// kernel would.
func textFormat(p *plan.Probe, id int) *tracefs.Format {
	f := &tracefs.Format{Name: p.Event, ID: id}
	add := func(field tracefs.FormatField) {
		field.Offset = f.Size
		f.Fields = append(f.Fields, field)
		f.Size += field.Size
	}
	add(tracefs.FormatField{Name: "common_type", Size: 2})
	add(tracefs.FormatField{Name: "common_flags", Size: 1})
	add(tracefs.FormatField{Name: "common_preempt_count", Size: 1})
	add(tracefs.FormatField{Name: "common_pid", Size: 4, Signed: true})
	if p.Side == dynevent.Return {
		add(tracefs.FormatField{Name: "__probe_func", Size: 8})
		add(tracefs.FormatField{Name: "__probe_ret_ip", Size: 8})
	} else {
		add(tracefs.FormatField{Name: "__probe_ip", Size: 8})
	}
	for i := range p.Args {
		a := &p.Args[i]
		typ := a.Type.String()
		if a.Count > 0 {
			typ = fmt.Sprintf("%s[%d]", typ, a.Count)
		}
		add(tracefs.FormatField{Name: a.Name, Type: typ, Size: a.Size(), DataLoc: a.IsString(), Array: a.Count > 0})
	}
	return f
}

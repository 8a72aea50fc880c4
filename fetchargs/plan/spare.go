package plan

import (
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// The kernel drops an event that does not fit into a page of its buffer, and counts it
// nowhere. Only text can make an event that large, because a fetcharg of text has no
// limit. So a probe with such text has a spare: a second probe at the same place, which
// fetches the same values, but of each text only the beginning, as numbers. Its filter
// keeps it quiet unless a text is long. If then the probe's own event is missing, the
// spare's takes its place (see package trace).

// A Head says where a spare has the beginning of a text of its probe.
type Head struct {
	Arg   int // the text, among the args of the probe
	First int // the first arg of the spare that holds the beginning
	Args  int // how many hold it, one after the other
	Sure  int // bytes: the spare has an event if and only if a text has at least so many

	// End shows whether the last of these bytes could be read; nil if nothing does. Its
	// numbers are indexes into the args of the spare.
	End *value.ReadCheck
}

// Size returns how many bytes of the text the spare has.
func (h *Head) Size(spare *Probe) (n int) {
	for i := range spare.Args[h.First : h.First+h.Args] {
		n += spare.Args[h.First+i].Size()
	}
	return n
}

// Limit returns how many bytes of the text in arg i are shown, 0 for all.
func (p *Probe) Limit(i int) (most int) {
	for j := range p.Fields {
		f := &p.Fields[j]
		if f.Encoding == value.String && f.Arg == i && f.Path == nil {
			if f.Count == 0 {
				return 0
			}
			most = max(most, f.Count)
		}
	}
	return most
}

// TextField returns the index of the field that shows the text in arg i, -1 if none does.
func (p *Probe) TextField(i int) int {
	return slices.IndexFunc(p.Fields, func(f value.Field) bool { return f.Encoding == value.String && f.Arg == i && f.Path == nil })
}

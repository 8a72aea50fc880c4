package render

import "encoding/binary"

// A Recording is what one of several recordings has of its own that are shown together: the
// calls of each Source are of one of them. There is none if only one trace is shown.
type Recording struct {
	Host string // as the column HOST has it
	File string // its name

	// Shift is added to its times, in ns, to get those of the common time line.
	Shift int64
	// Wall is added to its times to get the time since 1970, nil if that is not known. Drift is
	// by how much that changed from its start to its end, nil if only one of them is known.
	Wall, Drift *int64

	// These have the meaning that they have in Options.
	Symbol         func(addr uint64) (name, module string, off uint64, ok bool)
	IsCode, IsName func(addr uint64) bool
	Process        func(tid int) (pid int, ok bool)
	Order          binary.ByteOrder
}

// At converts a time of the recording to one of the common time line.
func (r *Recording) At(time uint64) uint64 {
	if r == nil {
		return time
	}
	return uint64(int64(time) + r.Shift)
}

// options returns o with what the recording has of its own.
func (r *Recording) options(o *Options) *Options {
	own := *o
	own.Symbol, own.IsCode, own.IsName, own.Process, own.Order = r.Symbol, r.IsCode, r.IsName, r.Process, r.Order
	return &own
}

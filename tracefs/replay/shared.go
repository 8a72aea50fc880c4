package replay

import (
	"fmt"
	"io"

	"github.com/tsnoop/tsnoop/tracefs/proc/symbols"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// A Shared is what recordings share that are read at once: decoders and memory. Goroutines must
// not read recordings of one Shared at the same time. They leave it to their reader to warn that
// no call of any is chosen, or in the window.
type Shared struct {
	memory *tracedat.Memory
	tables *symbols.Pool
}

// mostTables is how many bytes the symbols of all recordings may take, those of one in any case.
const mostTables = 8 << 20

// NewShared returns a Shared for recordings each of which holds about so many bytes of its pages.
func NewShared(each int64) *Shared {
	return &Shared{tracedat.NewMemory(each), symbols.NewPool(mostTables)}
}

// openFile opens a file that may be one of many.
func openFile(f io.ReaderAt, size int64, s *Shared) (file *tracedat.File, names *symbols.Table, err error) {
	if s == nil {
		if file, err = tracedat.Open(f, size); err == nil {
			names = symbols.Recorded(file.Kallsyms)
		}
		return file, names, err
	}
	if file, err = tracedat.OpenIn(f, size, s.memory); err == nil {
		names = s.tables.Recorded(file.Kallsyms)
	}
	return file, names, err
}

// forget drops what was needed only to make plans of it.
func (r *File) forget() {
	r.file.Events, r.file.Printk = nil, nil
	if r.IsOwn() {
		r.file.Tsnoop = []byte{}
	}
}

// Identity returns text that two files have in common only if both are one recording, "" if that
// is not known.
func (r *File) Identity() string {
	switch {
	case r.IsOwn():
		return fmt.Sprintf("%s\x00%s\x00%d %d %q", r.Origin.Host, r.Origin.BootID, r.Start, r.Wall.At(r.Start), r.Origin.Specs)
	case r.file.TraceID != 0:
		return fmt.Sprintf("%s\x00%d", r.file.Uname, r.file.TraceID)
	}
	return ""
}

// Refused returns how many calls were not chosen, and whether one was.
func (r *File) Refused() (n uint64, chosen bool) { return r.chooser.refused, r.chooser.some }

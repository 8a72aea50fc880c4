package replay

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/store"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// IsRecording reports whether f is a trace.dat file.
func IsRecording(f io.ReaderAt) bool { return tracedat.Is(f) }

// OriginOf returns what a trace.dat file of size bytes says about its origin. Nothing else
// of it needs to be understood.
func OriginOf(f io.ReaderAt, size int64, name string) (*tracefs.Origin, error) {
	file, err := tracedat.Open(f, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r := &File{name: name, file: file}
	var rec struct {
		Start  uint64
		Wall   int64
		Origin *tracefs.Origin
	}
	if r.IsOwn() {
		if err := store.CheckJSON(file.Tsnoop); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := json.Unmarshal(file.Tsnoop, &rec); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.Start = rec.Start
		r.Wall.Set(0, rec.Wall)
	}
	return r.originOf(rec.Origin), nil
}

// originOf returns what a file says about its origin. Other tools, and older versions of
// tsnoop, store less of it.
func (r *File) originOf(saved *tracefs.Origin) *tracefs.Origin {
	if saved != nil {
		return saved
	}
	o := &tracefs.Origin{Recorder: r.file.Recorder, Clock: r.file.Clock}
	// System, nodename, release and machine.
	if words := strings.Fields(r.file.Uname); len(words) == 4 {
		o.Host, o.Kernel, o.Arch = words[1], words[2], words[3]
	}
	if r.IsOwn() {
		o.Specs = plan.SpecTexts(r.Plans)
		if add := r.Wall.At(r.Start); add != 0 {
			o.Began = &tracefs.Moment{Wall: add + int64(r.Start), Trace: r.Start}
		}
	}
	return o
}

package recordings

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// A Made says what a recording is to be like that is made of the pages of read.trace.dat.
type Made struct {
	Host, Machine, Boot string // without Boot it has no origin, as those of older versions
	Clock               string // "" for mono

	Start    time.Duration // when it began, on the trace clock
	Wall     time.Time     // when it began, on the clock of the host; zero if that is not known
	Length   time.Duration // from its start to its end; 0 if it has no end
	Drift    time.Duration // by how much the clock of the host moved in that time
	MaxError time.Duration // of the clock of the host; 0 if it is not known
	Synced   bool

	Pages    [][]time.Duration // for each CPU, when its pages begin, after Start
	Lost     uint64            // events lost before the last page of each CPU
	Compress bool
	Sums     bool // with checksums of the pages
}

// Span is how long it takes from the first to the last event of a page. Calls is how many calls a
// page has.
const (
	Span  = 39341504 * time.Nanosecond
	Calls = 3
)

// Write writes the recording.
func (m *Made) Write(w io.WriteSeeker) error {
	h, pages, err := Read()
	if err != nil {
		return err
	}
	h.Version, h.Zstd, h.Clock, h.CPUStats = 6, m.Compress, m.Clock, nil
	if m.Clock == "" {
		h.Clock = "mono"
	}
	if m.Compress {
		h.Version = 7
	}
	if h.Tsnoop, err = m.own(h.Tsnoop); err != nil {
		return err
	}
	var cpus []tracedat.CPUSource
	var sums []byte
	for id, at := range m.Pages {
		var all []byte
		for i, at := range at {
			page := bytes.Clone(pages[:PageSize])
			begin(page, uint64(m.Start+at))
			if m.Lost > 0 && i == len(m.Pages[id])-1 {
				lose(page, m.Lost)
			}
			sums = tracedat.Sum{CPU: id, Page: i, Events: 2 * Calls, CRC: tracedat.CRC(page)}.Append(sums, false)
			all = append(all, page...)
		}
		cpus = append(cpus, tracedat.CPUSource{ID: id, Size: int64(len(all)), Pages: bytes.NewReader(all)})
		h.CPUStats = append(h.CPUStats, fmt.Sprintf("CPU: %d\nentries: 0\noverrun: %d\ncommit overrun: 0\nbytes: 0\ndropped events: 0\nread events: %d\n", id, m.Lost, len(at)*2*Calls))
	}
	h.CPUs = len(cpus)
	if m.Sums {
		h.Sums = bytes.NewReader(sums)
	}
	return tracedat.Write(w, h, cpus)
}

// begin has the first event of a page be at a time.
func begin(page []byte, at uint64) {
	var p ringbuf.Page
	if p.Reset(ringbuf.Layout{LongSize: 8}, page) == nil && p.Next() {
		stamp := binary.LittleEndian.Uint64(page)
		binary.LittleEndian.PutUint64(page, at-(p.Stamp-stamp))
	}
}

// lose stores after the data of a page how many events were lost before it.
func lose(page []byte, n uint64) {
	const missed, stored = 1 << 31, 1 << 30 // in the length of the data
	size := binary.LittleEndian.Uint64(page[8:])
	binary.LittleEndian.PutUint64(page[8:], size|missed|stored)
	binary.LittleEndian.PutUint64(page[16+size:], n)
}

// own is what tsnoop stores for itself.
func (m *Made) own(of []byte) ([]byte, error) {
	var own map[string]json.RawMessage
	if err := json.Unmarshal(of, &own); err != nil {
		return nil, err
	}
	set := func(name string, value any) {
		own[name], _ = json.Marshal(value)
	}
	set("Start", uint64(m.Start))
	delete(own, "Spans")
	delete(own, "End")
	add := int64(0)
	if !m.Wall.IsZero() {
		add = m.Wall.UnixNano() - int64(m.Start)
	}
	set("Wall", add)
	if m.Boot == "" {
		return json.Marshal(own)
	}
	moment := func(after, drift time.Duration) *tracefs.Moment {
		if add == 0 {
			return nil
		}
		at := &tracefs.Moment{Trace: uint64(m.Start + after), Wall: int64(m.Start+after+drift) + add, Synced: m.Synced}
		if most := int64(m.MaxError); most > 0 {
			at.MaxError = &most
		}
		return at
	}
	o := &tracefs.Origin{Host: m.Host, MachineID: m.Machine, BootID: m.Boot, Kernel: "6.12", Arch: "x86_64", Recorder: "tsnoop v1", Clock: "mono", Began: moment(0, 0)}
	if m.Clock != "" {
		o.Clock = m.Clock
	}
	o.Specs = []string{`vfs_read(file->f_path.dentry->d_name.name, count, return) if file->f_path.dentry->d_name.name == "greeting"`}
	if m.Length > 0 {
		o.Ended = moment(m.Length, m.Drift)
	}
	set("Origin", o)
	return json.Marshal(own)
}

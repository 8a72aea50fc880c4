package trace

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"path"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// RecordOptions says how to make a recording.
type RecordOptions struct {
	Count    int           // stop after this many events; 0 for no limit
	Compress bool          // write trace.dat version 7 with zstd
	Sync     time.Duration // write pages to the disk before they are that old; 0 leaves it to the kernel
}

// Prepare writes the head of a trace whose probes are defined: see Options.Ready. If it
// is called, the head is on the disk before the first event is recorded.
func (rec *Recorder) Prepare(t *Trace) (err error) {
	if rec.layout, rec.pageSize, err = t.session.PageLayout(); err != nil {
		return err
	}
	if rec.header, err = rec.newHeader(t); err != nil {
		return err
	}
	if err := rec.writeHead(rec.header); err != nil {
		rec.warner.Warnf("if this is killed, what it has recorded cannot be recovered: %v", err)
	}
	return nil
}

// Record takes the pages of a trace until ctx is done, and then those that the kernel
// has filled by then, or until there are enough events. Then it makes the file. Nothing
// is decoded meanwhile. Whatever stops it, what was taken by then is saved.
func (rec *Recorder) Record(ctx context.Context, t *Trace) (err error) {
	t.recording.Store(true)
	if rec.header == nil {
		if err := rec.Prepare(t); err != nil {
			return err
		}
	}
	h := rec.header
	if own, err := t.recorded(t.origin); err == nil { // with the processes
		h.Tsnoop = own
	}
	ctx, release := t.untilDrained(ctx)
	defer release()
	symbols := rec.addSymbols(h, t.machine)
	err = rec.take(read.Pages(ctx, t.session), t.Now, &t.ages, t.processes.births())
	t.guard.stop()
	err = cmp.Or(err, t.session.Stop())
	t.guard.settle()
	symbols.Wait()
	rec.complete(h, t)
	if rec.options.Compress {
		h.Version, h.Zstd = 7, true
	}
	return cmp.Or(err, rec.save(h))
}

// addSymbols writes the head once more with the symbols. Those take long, so they are
// read while pages are already being taken.
func (rec *Recorder) addSymbols(h *tracedat.Header, m *Machine) *sync.WaitGroup {
	var symbols sync.WaitGroup
	if !rec.headed {
		return &symbols
	}
	symbols.Go(func() {
		var err error
		if h.Kallsyms, err = m.symbols.Text(); err == nil {
			err = rec.writeHead(h)
		}
		if err != nil {
			rec.warner.Detailf("if this is killed, what is recovered has no symbols: %v", err)
		}
	})
	return &symbols
}

// take stores pages until there are no more, or enough events. They are on the disk then.
// now returns the time on the trace clock, in ns. It also looks at the clocks from time to
// time. Events with the ID births are only for tsnoop itself.
func (rec *Recorder) take(pages iter.Seq2[read.Page, error], now func() uint64, clocks *ages, births int) error {
	count := rec.options.Count
	defer rec.tick()()
	var page ringbuf.Page
	for p, err := range pages {
		if err != nil {
			return err
		}
		lost := uint64(0)
		if err := page.Reset(rec.layout, p.Data); err != nil {
			rec.warner.Warnf("CPU %d: %v", p.CPU, err)
			continue
		}
		if n := page.Lost(); n != ringbuf.LostUnknown {
			lost = n
		}
		taken := now()
		events, first := rec.count(&page, births, taken)
		if err := rec.add(p, events, time.Duration(taken-first)); err != nil {
			return err
		}
		if clocks.any() {
			clocks.look()
		}
		rec.events.Add(events)
		rec.lost.Add(lost)
		if count > 0 && rec.events.Load() >= uint64(count) {
			return nil
		}
	}
	return nil
}

// count returns the number of events on a page, without those with the ID births, and the
// time of the first one, at most now.
func (rec *Recorder) count(page *ringbuf.Page, births int, now uint64) (events, first uint64) {
	for first = now; page.Next(); {
		first = min(first, page.Stamp)
		if births < 0 || len(page.Data) < 2 || eventID(rec.layout, page.Data) != births {
			events++
		}
	}
	return events, first
}

// eventID returns the ID of a record's event.
func eventID(layout ringbuf.Layout, record []byte) int {
	if layout.BigEndian {
		return int(binary.BigEndian.Uint16(record))
	}
	return int(binary.LittleEndian.Uint16(record))
}

// String returns the state of the recording: "123 events, 4.0 MiB, 0 lost". The size is
// that of the pages so far, and once it is saved that of the file. It may be called at
// any time.
func (rec *Recorder) String() string {
	return fmt.Sprintf("%d events, %s, %d lost", rec.events.Load(), Size(rec.bytes.Load()), rec.lost.Load())
}

// A Size is a number of bytes.
type Size uint64

// String returns the size in MiB, or in KiB if it is less than one.
func (s Size) String() string {
	if s < 1<<20 {
		return fmt.Sprintf("%d KiB", (s+1<<10-1)>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(s)/(1<<20))
}

// newHeader collects what is needed to understand the pages elsewhere. It leaves out the
// symbols, which take long, and what is known only at the end.
func (rec *Recorder) newHeader(t *Trace) (*tracedat.Header, error) {
	own, err := t.recorded(t.origin)
	if err != nil {
		return nil, err
	}
	h := &tracedat.Header{
		Version: 6, BigEndian: rec.layout.BigEndian, LongSize: rec.layout.LongSize, PageSize: rec.pageSize,
		Clock: t.clockName, Uname: uname(), Recorder: t.origin.Recorder, Tsnoop: own,
	}
	group := t.session.Group()
	text := func(name string) string {
		b, e := t.machine.fs.ReadFile(name)
		err = cmp.Or(err, e)
		return string(b)
	}
	h.HeaderPage, h.HeaderEvent = text("events/header_page"), text("events/header_event")
	for _, p := range fetchargs.Probes(t.plans) {
		h.Events = append(h.Events, tracedat.EventText{System: group, Text: text(path.Join("events", group, p.Event, "format"))})
	}
	if t.births {
		h.Events = append(h.Events, tracedat.EventText{System: "task", Text: text("events/task/task_newtask/format")})
	}
	for _, name := range t.machine.fs.Glob("events/ftrace/*/format") {
		h.Events = append(h.Events, tracedat.EventText{System: "ftrace", Text: text(name)})
	}
	return h, err
}

// complete adds to a header what is known only at the end. Something that cannot be
// read is no reason to lose the recording: it is left out with a warning.
func (rec *Recorder) complete(h *tracedat.Header, t *Trace) {
	stats, err := t.session.FinalStats()
	for i := range stats {
		lines, e := t.session.StatsText(&stats[i])
		if err = cmp.Or(err, e); e == nil {
			h.CPUStats = append(h.CPUStats, fmt.Sprintf("CPU: %d\n%s", stats[i].CPU, lines))
		}
		h.CPUs++
	}
	if err != nil {
		rec.warner.Warnf("how much was lost is not in %s: %v", rec.name, err)
	}
	if own, err := t.recorded(t.Ended()); err == nil { // with the end
		h.Tsnoop = own
	}
	if b, err := t.machine.symbols.TextNow(); err == nil {
		h.Kallsyms = b
	}
	if names, err := t.machine.fs.Cmdlines(); err == nil {
		h.Cmdlines = names
	} else {
		rec.warner.Detailf("%s has no names of tasks for other tools: %v", rec.name, err)
	}
}

// uname returns what trace-cmd stores of uname(2).
func uname() string {
	name, release, arch := proc.Host()
	if arch == "" {
		return ""
	}
	return "Linux " + name + " " + release + " " + arch
}

package trace

import (
	"context"
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
	"golang.org/x/sys/unix"
)

// RecordOptions says how to make a recording.
type RecordOptions struct {
	Program  string // name and version of the program that records, for the file
	Count    int    // stop after this many events; 0 for no limit
	Compress bool   // write trace.dat version 7 with zstd
}

// Record takes the pages of a trace until ctx is done, and then those that the kernel
// has filled by then, or until there are enough events. Then it makes the file. Nothing
// is decoded meanwhile. Whatever stops it, what was taken by then is saved.
func (rec *Recorder) Record(ctx context.Context, t *Trace, o RecordOptions) (err error) {
	t.recording.Store(true)
	if rec.layout, rec.pageSize, err = t.session.PageLayout(); err != nil {
		return err
	}
	h, err := rec.header(t, o.Program)
	if err != nil {
		return err
	}
	ctx, release := t.untilDrained(ctx)
	defer release()
	symbols := rec.begin(h, t.machine)
	err = rec.take(read.Pages(ctx, t.session), o.Count, &t.ages)
	t.guard.stop()
	err = firstError(err, t.session.Stop())
	t.guard.settle()
	symbols.Wait()
	rec.complete(h, t)
	if o.Compress {
		h.Version, h.Zstd = 7, true
	}
	return firstError(err, rec.save(h))
}

// begin writes the head, and then once more with the symbols. Those take long, so they
// are read while pages are already being taken.
func (rec *Recorder) begin(h *tracedat.Header, m *Machine) *sync.WaitGroup {
	var symbols sync.WaitGroup
	if err := rec.writeHead(h); err != nil {
		rec.warn("if this is killed, what it has recorded cannot be recovered: %v", err)
		return &symbols
	}
	symbols.Go(func() {
		var err error
		if h.Kallsyms, err = m.kallsyms(); err == nil {
			err = rec.writeHead(h)
		}
		if err != nil {
			rec.detail("if this is killed, what is recovered has no symbols: %v", err)
		}
	})
	return &symbols
}

// take stores pages until there are no more, or count events. It also looks at the
// clocks from time to time.
func (rec *Recorder) take(pages iter.Seq2[read.Page, error], count int, clocks *ages) error {
	defer rec.tick()()
	var page ringbuf.Page
	for p, err := range pages {
		if err != nil {
			return err
		}
		events, lost := uint64(0), uint64(0)
		if err := page.Reset(rec.layout, p.Data); err != nil {
			rec.warn("CPU %d: %v", p.CPU, err)
			continue
		}
		if n := page.Lost(); n != ringbuf.LostUnknown {
			lost = n
		}
		for page.Next() {
			events++
		}
		if err := rec.add(p); err != nil {
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

// tick writes pages to their files regularly, so that a kill loses few of them. Call
// stop to end it.
func (rec *Recorder) tick() (stop func()) {
	over := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		flush := time.NewTicker(flushTime)
		defer flush.Stop()
		for {
			select {
			case <-over:
				return
			case <-flush.C:
				rec.flush() // the next page reports an error again
			}
		}
	})
	return func() {
		close(over)
		done.Wait()
	}
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

// header collects what is needed to understand the pages elsewhere. It leaves out the
// symbols, which take long, and what is known only at the end.
func (rec *Recorder) header(t *Trace, program string) (*tracedat.Header, error) {
	own, err := t.recorded()
	if err != nil {
		return nil, err
	}
	h := &tracedat.Header{
		Version: 6, BigEndian: rec.layout.BigEndian, LongSize: rec.layout.LongSize, PageSize: rec.pageSize,
		Clock: t.clockName, Uname: uname(), Recorder: program, Tsnoop: own,
	}
	group := t.session.Group()
	text := func(name string) string {
		b, e := t.machine.fs.ReadFile(name)
		err = firstError(err, e)
		return string(b)
	}
	h.HeaderPage, h.HeaderEvent = text("events/header_page"), text("events/header_event")
	for _, p := range fetchargs.Probes(t.plans) {
		h.Events = append(h.Events, tracedat.EventText{System: group, Text: text(path.Join("events", group, p.Event, "format"))})
	}
	if t.own != nil {
		h.Events = append(h.Events, tracedat.EventText{System: t.own.newTasks.format.Group, Text: text("events/task/task_newtask/format")})
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
		if err = firstError(err, e); e == nil {
			h.CPUStats = append(h.CPUStats, fmt.Sprintf("CPU: %d\n%s", stats[i].CPU, lines))
		}
		h.CPUs++
	}
	if err != nil {
		rec.warn("how much was lost is not in %s: %v", rec.name, err)
	}
	if own, err := t.recorded(); err == nil { // with the end
		h.Tsnoop = own
	}
	if now := proc.LoadedModules(); h.Kallsyms == nil || now != t.machine.loaded {
		if b, err := proc.ReadKallsyms(); err == nil {
			h.Kallsyms = b
		}
	}
	if names, err := t.machine.fs.Cmdlines(); err == nil {
		h.Cmdlines = names
	} else {
		rec.detail("%s has no names of tasks for other tools: %v", rec.name, err)
	}
}

// uname returns what trace-cmd stores of uname(2).
func uname() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Nodename[:]) + " " +
		unix.ByteSliceToString(u.Release[:]) + " " + unix.ByteSliceToString(u.Machine[:])
}

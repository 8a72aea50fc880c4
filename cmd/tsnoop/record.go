package main

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/trace"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
	"golang.org/x/term"
)

// runRecord writes the pages of a trace to a trace.dat file: nothing is decoded
// while it runs.
func runRecord(o *options, ui *ui) (err error) {
	if o.recover != "" {
		return runRecover(o, ui)
	}
	if len(o.args) == 0 {
		return usagef("tsnoop record -o trace.dat 'vfs_read(count, return)'", "record which function?")
	}
	m, plans, err := plan(o, false)
	if err != nil {
		return err
	}
	program, err := hold(o, ui)
	if err != nil {
		return err
	}
	defer func() { err = program.end(err) }()
	rec, err := newRecording(o.output, ui)
	if err != nil {
		return err
	}
	defer func() { err = rec.close(err) }()

	return follow(m, plans, program, o, ui, func(t *liveTrace, ctx context.Context, _ func()) error {
		var err error
		if rec.layout, rec.pageSize, err = t.session.PageLayout(); err != nil {
			return err
		}
		h, err := rec.header(m.FS, t)
		if err != nil {
			return err
		}
		symbols := rec.begin(h, m)
		// Whatever ends it, what there is by then is saved.
		err = rec.take(read.Pages(ctx, t.session), o.count)
		err = firstError(err, t.session.Stop())
		symbols.Wait()
		err = firstError(err, rec.finish(h, m.FS, t, o.compress))
		lost := &losses{ui: ui}
		lost.total(t)
		return err
	})
}

// begin writes the head, and once more with symbols, which takes long, while pages
// are taken already.
func (rec *recording) begin(h *tracedat.Header, m *trace.Machine) *sync.WaitGroup {
	var symbols sync.WaitGroup
	if err := rec.writeHead(h); err != nil {
		rec.ui.warn("if this is killed, what it has recorded cannot be recovered: %v", err)
		return &symbols
	}
	symbols.Go(func() {
		var err error
		if h.Kallsyms, err = m.Kallsyms(); err == nil {
			err = rec.writeHead(h)
		}
		if err != nil {
			rec.ui.detail("if this is killed, what is recovered has no symbols: %v", err)
		}
	})
	return &symbols
}

// finish saves what was recorded.
func (rec *recording) finish(h *tracedat.Header, fs *tracefs.FS, t *liveTrace, compress bool) error {
	rec.complete(h, fs, t.session)
	if compress {
		h.Version, h.Zstd = 7, true
	}
	if err := rec.save(h); err != nil {
		return err
	}
	rec.ui.warn("%s: %s", rec.name, rec)
	return nil
}

// take keeps pages until there are no more, or count events.
func (rec *recording) take(pages iter.Seq2[read.Page, error], count int) error {
	defer rec.tick()()
	var page ringbuf.Page
	for p, err := range pages {
		if err != nil {
			return err
		}
		events, lost := uint64(0), uint64(0)
		if err := page.Reset(rec.layout, p.Data); err != nil {
			rec.ui.warn("CPU %d: %v", p.CPU, err)
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
		rec.events.Add(events)
		rec.lost.Add(lost)
		if count > 0 && rec.events.Load() >= uint64(count) {
			return nil
		}
	}
	return nil
}

// tick keeps what is in memory short of what a kill would lose, and says on a
// terminal how it goes, until it is stopped.
func (rec *recording) tick() (stop func()) {
	over := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		flush, tell := time.NewTicker(flushTime), time.NewTicker(time.Second)
		defer flush.Stop()
		defer tell.Stop()
		for terminal := term.IsTerminal(2); ; {
			select {
			case <-over:
				rec.ui.draw("")
				return
			case <-flush.C:
				rec.flush() // an error comes again with the next page
			case <-tell.C:
				if terminal {
					rec.ui.draw(fmt.Sprintf("tsnoop: %s", rec))
				}
			}
		}
	})
	return func() {
		close(over)
		done.Wait()
	}
}

// String is the state of the recording: "123 events, 4.0 MiB, 0 lost".
func (rec *recording) String() string {
	return fmt.Sprintf("%d events, %.1f MiB, %d lost", rec.events.Load(), float64(rec.bytes.Load())/(1<<20), rec.lost.Load())
}

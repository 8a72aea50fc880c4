package main

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"golang.org/x/term"
)

// runRecord writes the pages of a trace to a trace.dat file: nothing is decoded
// while it runs.
func runRecord(o *options, ui *ui) (err error) {
	if len(o.args) == 0 {
		return usagef("tsnoop record -o trace.dat 'vfs_read(count, return)'", "record which function?")
	}
	fs, plans, err := plan(o, "") // a nonce is for text, which nobody reads here
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
	defer func() { err = firstError(err, rec.close()) }()

	return follow(fs, plans, program, o, ui, func(t *trace, ctx context.Context, _ func()) error {
		layout, size, err := t.session.PageLayout()
		if err != nil {
			return err
		}
		rec.layout, rec.pageSize = layout, size
		if err := rec.take(t.session.ReadPages(ctx), o.count); err != nil {
			return err
		}
		if err := t.session.Stop(); err != nil {
			return err
		}
		if err := rec.save(fs, t, o.compress); err != nil {
			return err
		}
		lost := &losses{ui: ui}
		lost.total(t)
		return nil
	})
}

// plan opens tracefs and makes plans of the specs.
func plan(o *options, nonce string) (*tracefs.FS, []*fetchargs.Plan, error) {
	fs, err := openTracefs(o)
	if err != nil {
		return nil, nil, err
	}
	target, err := target(o, fs)
	if err != nil {
		return nil, nil, err
	}
	target.Live, target.Nonce = true, nonce
	plans, err := parseSpecs(o.args, target)
	if err != nil {
		return nil, nil, err
	}
	return fs, plans, o.checkPlans(plans)
}

// take keeps pages until there are no more, or count events.
func (rec *recording) take(pages iter.Seq2[tracefs.Page, error], count int) error {
	defer rec.progress()()
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

// progress says on a terminal how it goes, once a second, until it is stopped.
func (rec *recording) progress() (stop func()) {
	if !term.IsTerminal(2) {
		return func() {}
	}
	over := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-over:
				rec.ui.draw("")
				return
			case <-tick.C:
				rec.ui.draw(fmt.Sprintf("tsnoop: %s", rec))
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

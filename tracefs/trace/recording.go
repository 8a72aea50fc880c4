package trace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/record"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// BeginRecording writes the head of the recording of a trace whose probes are defined: see
// Options.Ready. If it is called, the head is on the disk before the first event is
// recorded, and pages are taken from the first event on.
func (t *Trace) BeginRecording(rec *record.Recorder) error {
	h, err := t.header()
	if err != nil {
		return err
	}
	if err := rec.Begin(h, t.host.Symbols); err != nil {
		return err
	}
	ctx, end := context.WithCancel(context.Background())
	t.taking = &taking{rec: rec, end: end, ended: make(chan struct{})}
	t.recording.Store(true)
	go func() {
		defer close(t.taking.ended)
		pages := read.Pages(ctx, t.session, rec.FillTime())
		t.taking.err = rec.Take(pages, t.Now, t.Processes.Births(), func() { t.Amend.LookAtClocks() })
	}()
	return nil
}

// taking is the goroutine that takes the pages of a trace.
type taking struct {
	rec    *record.Recorder
	wanted atomic.Bool // Record was called
	end    func()
	ended  chan struct{}
	err    error // when it has ended
}

// close ends it, unless it has ended. The recording is discarded if it was not wanted.
func (k *taking) close() {
	if k == nil {
		return
	}
	k.end()
	<-k.ended
	if !k.wanted.Load() {
		k.rec.Discard()
	}
}

// Record takes the pages of a trace until ctx is done, and then those that the kernel
// has filled by then, or until there are enough events. Then it makes the file. Nothing
// is decoded meanwhile. Whatever stops it, what was taken by then is saved.
func (t *Trace) Record(ctx context.Context, rec *record.Recorder) (err error) {
	if t.taking == nil {
		if err := t.BeginRecording(rec); err != nil {
			return err
		}
	}
	t.taking.wanted.Store(true)
	h := rec.Header()
	ctx, release := t.untilDrained(ctx)
	defer release()
	defer context.AfterFunc(ctx, t.taking.end)()
	<-t.taking.ended
	err = t.taking.err
	t.guard.Stop()
	err = cmp.Or(err, t.session.Stop())
	t.Kept = t.Losses().Kept
	t.complete(h, rec.Name())
	return cmp.Or(err, rec.Save(h))
}

// header collects what is needed to understand the pages elsewhere. It leaves out what is
// known only at the end.
func (t *Trace) header() (*tracedat.Header, error) {
	layout, pageSize, err := t.session.PageLayout()
	if err != nil {
		return nil, err
	}
	own, err := t.recorded(t.Origin)
	if err != nil {
		return nil, err
	}
	h := &tracedat.Header{
		Version: 6, BigEndian: layout.BigEndian, LongSize: layout.LongSize, PageSize: pageSize,
		Clock: t.o.Clock, Uname: proc.Uname(), Recorder: t.Origin.Recorder, Tsnoop: own,
	}
	group := t.session.Group()
	text := func(name string) string {
		b, e := t.host.FS.ReadFile(name)
		err = cmp.Or(err, e)
		return string(b)
	}
	h.HeaderPage, h.HeaderEvent = text("events/header_page"), text("events/header_event")
	for _, p := range plan.Probes(t.Plans) {
		system, _ := p.System(group)
		h.Events = append(h.Events, tracedat.EventText{System: system, Text: text(path.Join(p.EventDir(group), "format"))})
	}
	if t.births {
		h.Events = append(h.Events, tracedat.EventText{System: "task", Text: text("events/task/task_newtask/format")})
	}
	for _, name := range t.host.FS.Glob("events/ftrace/*/format") {
		h.Events = append(h.Events, tracedat.EventText{System: "ftrace", Text: text(name)})
	}
	return h, err
}

// revise has the head of a recording show what was switched off or done by others until now.
func (t *Trace) revise() {
	if t.recording.Load() {
		t.taking.rec.Revise(func(own []byte) ([]byte, error) { return t.Resave(own, t.plansNow()) })
	}
}

// complete adds to the header of the recording name what is known only at the end. Data
// that cannot be read is left out with a warning, and the recording is kept.
func (t *Trace) complete(h *tracedat.Header, name string) {
	stats, err := t.session.FinalStats()
	for i := range stats {
		lines, e := t.session.StatsText(&stats[i])
		if err = cmp.Or(err, e); e == nil {
			h.CPUStats = append(h.CPUStats, fmt.Sprintf("CPU: %d\n%s", stats[i].CPU, lines))
		}
		h.CPUs++
	}
	if err != nil {
		t.Warner.Warnf("how much was lost is not in %s: %v", name, err)
	}
	if own, err := t.recorded(t.Ended()); err == nil { // with the end
		h.Tsnoop = own
	}
	if names, err := t.host.FS.Cmdlines(); err == nil {
		if t.HasNameless() {
			names = t.Names.Living(names)
		}
		h.Cmdlines = names
	} else {
		t.Warner.Detailf("%s has no names of tasks for other tools: %v", name, err)
	}
}

// recorded returns what the recording stores for tsnoop.
func (t *Trace) recorded(origin *tracefs.Origin) ([]byte, error) {
	s, err := t.Save()
	if err != nil {
		return nil, err
	}
	s.Group, s.Ranges, s.Some, s.Origin = t.session.Group(), t.ranges, len(t.o.Pids) > 0, origin
	return json.Marshal(s)
}

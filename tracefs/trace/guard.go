package trace

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// guardTime is between two looks at a trace that nothing is heard of.
const guardTime = time.Second

// pageFile is the file of the size of a page of the buffers.
const pageFile = "buffer_subbuf_size_kb"

// fewEvents is how many events are looked at each time.
const fewEvents = 32

// A guard tells when another program interferes with a trace, for then silence does
// not mean that nothing is called: as soon as inotify says so, every guardTime, and at
// the end.
type guard struct {
	t      *Trace
	rearm  bool
	rates  *rates
	family func() ([]int, error) // threads that are to be traced; nil for all
	watch  *tracefs.Watch        // nil where there is no inotify
	deaf   bool                  // nothing is heard from it
	over   chan struct{}
	end    sync.Once
	done   sync.WaitGroup

	told      map[string]*tracefs.Change // what is changed now, by file and event
	next      int                        // the event to look at next
	written   []string                   // files that others have written to just now
	opens     map[string]int             // how often each pipe was opened, by whomever
	listed    string                     // what was said last of lists of threads
	formats   []*tracefs.Format          // that the trace began with
	emptied   bool                       // a buffer was, which has not been told yet
	paged     bool                       // the size of a page was written, which empties all, but may not have been carried out yet
	toldEmpty time.Time                  // when that was told last
	toldPages time.Time                  // when a change of the size of a page was told last
	spoke     time.Time                  // when anything was, of changes
	ids       map[int]bool               // of the trace's events, those of before they were defined again, too
	held      bool                       // the mark was not moved, for events were missing
	drifts    bool                       // probes are hit by what is kept out of the trace: calls of this program
	anew      bool                       // and the kernel counts anew since the mark
	mended    map[string]bool            // lists of threads that have been set back
	readers   []proc.Holder              // that have been told of
	uncounted bool                       // probes were off, and so has been their count
	suspect   time.Time                  // when events seemed to be read by others first
	robbed    bool                       // it has been told that events are read by others
	closed    bool                       // the last balance has been struck
	mark      account                    // when all was last as it should be
}

// newGuard makes a guard. From here on it hears of what others do, and its counts are
// those of before the first event: it comes before the trace is enabled.
func (t *Trace) newGuard(o Options) *guard {
	g := &guard{t: t, rearm: o.Rearm, rates: newRates(t, o.MaxRate), over: make(chan struct{}), told: map[string]*tracefs.Change{}, formats: slices.Clone(t.formats), opens: map[string]int{}, mended: map[string]bool{}, ids: map[int]bool{}}
	if len(o.Pids) > 0 {
		g.family = func() ([]int, error) { return family(o.Pids, o.Follow) }
	}
	var err error
	if g.watch, err = t.session.Watch(); err != nil {
		t.detail("what other programs do to this trace is seen once in %v only: %v", guardTime, err)
	} else {
		for _, err := range g.watch.Failed {
			t.detail("not watched: %v", err)
		}
	}
	g.mark = g.account()
	return g
}

// begin begins to guard the trace, which is enabled.
func (g *guard) begin() {
	var early []tracefs.Touch
	if g.watch != nil {
		early = slices.DeleteFunc(g.t.session.Hear(g.watch, nil), func(t tracefs.Touch) bool { return t.Own })
	}
	g.done.Go(func() { g.run(early) })
}

// watchFurther watches events that are defined while the trace runs.
func (g *guard) watchFurther(events []string) {
	if g != nil && g.watch != nil {
		g.watch.AddEvents(g.t.session, events)
	}
}

// stop looks for the last time, which must be before the trace is switched off.
func (g *guard) stop() {
	if g == nil {
		return
	}
	g.end.Do(func() {
		close(g.over)
		if g.watch != nil {
			g.watch.Stop()
		}
		g.done.Wait()
	})
}

// close ends the guard. It comes after the last balance.
func (g *guard) close() {
	g.stop()
	if g != nil && g.watch != nil {
		g.watch.Close()
	}
}

// run looks at what was heard of, and now and then whether anything was not. What was
// heard of comes first: else it would be told as something else, or taken for nothing.
func (g *guard) run(early []tracefs.Touch) {
	g.touched(early)
	g.look(g.some())
	g.firstThreads()
	for next := time.Now().Add(guardTime); g.wait(next); {
		now := time.Now()
		if now.Before(next) {
			continue
		}
		next = now.Add(guardTime)
		g.wasPaged()
		g.look(g.some())
		g.balance(false)
		g.rates.check(time.Now())
	}
	g.wasPaged()
	g.look(g.t.session.Events())
	if len(g.told) > 0 {
		g.tellCost("this trace was not set back", tracefs.Interference{})
	}
}

// wait waits for a time, or until something is heard of, and looks at that. It returns
// false when the guard is to end.
func (g *guard) wait(until time.Time) bool {
	if g.watch == nil || g.deaf {
		select {
		case <-time.After(time.Until(until)):
			return true
		case <-g.over:
			return false
		}
	}
	seen, err := g.watch.Next(until)
	if err != nil {
		g.deaf = true
		g.t.detail("what other programs do to this trace is heard of no more: %v", err)
	}
	g.touched(g.t.session.Hear(g.watch, seen))
	select {
	case <-g.over:
		return false
	default:
		return true
	}
}

// wasPaged notes that the buffers were emptied by a size of a page that has been set
// back before anybody has looked.
func (g *guard) wasPaged() {
	if g.paged && time.Since(g.toldPages) > 2*guardTime {
		g.emptied, g.anew = true, true
	}
	g.paged = false
}

// some are the events that are to be looked at next.
func (g *guard) some() []string {
	events := g.t.session.Events()
	if len(events) <= fewEvents {
		return events
	}
	g.next %= len(events)
	part := events[g.next:min(g.next+fewEvents, len(events))]
	g.next += fewEvents
	return part
}

// touched looks at what somebody has written to or opened.
func (g *guard) touched(seen []tracefs.Touch) {
	if len(seen) == 0 {
		return
	}
	var events []string
	var lists, written []string
	opened, emptied, all := false, false, false
	group := "events/" + g.t.session.Group() + "/"
	for _, s := range seen {
		event, isEvent := strings.CutPrefix(s.File, group)
		event, _, isFile := strings.Cut(event, "/")
		if matters(s.File, isEvent) && !s.Own {
			written = append(written, s.File)
		}
		switch {
		case s.Opened:
			g.opens[s.File]++
			opened = opened || g.opens[s.File] > g.t.session.Opened(s.File)
		case isEvent && isFile:
			events = append(events, event)
		case isEvent && event == "filter":
			all = true // of the whole group
		case empties(s):
			emptied = true
		case s.File == pageFile:
			g.paged = true
		case s.File == "set_event_pid" || s.File == "set_event_notrace_pid":
			lists = append(lists, s.File)
		case strings.HasPrefix(s.File, "/") || s.File == "":
			all = true // the files of definitions, or too much has happened
		}
	}
	if all {
		events = g.t.session.Events()
	}
	if emptied {
		g.countAnew()
	}
	slices.Sort(events)
	slices.Sort(lists)
	g.written = written
	g.look(slices.Compact(events))
	g.written = nil
	for _, l := range slices.Compact(lists) {
		g.threads(l)
	}
	if opened {
		g.opened()
	}
	g.balance(false)
}

// look tells what others have changed of the trace, and of these of its events, or have
// set back.
func (g *guard) look(events []string) {
	now, restored := g.account(), false
	lacking, _ := g.mark.lacks(now)
	found := map[string]bool{}
	for _, c := range g.t.session.Changes(events) {
		key := c.File + " " + c.Event
		g.anew = g.anew || c.Cost != ""
		if strings.HasSuffix(c.File, pageFile) { // it is told that this has emptied the buffers
			g.toldPages = time.Now()
		}
		if g.told[key] != nil && g.told[key].Is == c.Is {
			found[key] = true
			continue
		}
		if g.rearm && !c.Foreign {
			g.restore(c)
			restored = true
			continue
		}
		found[key] = true
		g.told[key], g.spoke = c, time.Now()
		g.uncounted = g.uncounted || !c.Counted
		g.tell(g.of(c), "%s; %s", g.said(c), g.cure(c))
	}
	asked := func(c *tracefs.Change) bool { return c.Event == "" || slices.Contains(events, c.Event) }
	back := false
	for key, c := range g.told {
		if !found[key] && asked(c) {
			delete(g.told, key)
			back = true
			if strings.HasSuffix(c.File, pageFile) {
				g.toldPages = time.Now()
			}
		}
	}
	switch {
	case len(g.told) > 0, restored: // what it costs comes with that
	case back:
		g.tellCost("this trace is as it was again", tracefs.Interference{})
	case g.emptied && g.tellEmptied():
	case g.emptied: // as was told just now
		g.mark, g.anew = g.account(), false
	case g.passed(now):
	case now.exact && g.mark.exact && lacking > 0 && !g.held:
		g.held = true // that somebody has written to a file may be heard of in a moment
	case now.exact || !g.mark.exact:
		g.drifts = g.drifts || g.held
		g.mark, g.held = now, false
	}
	g.emptied = false
}

// tellEmptied tells that the buffers were emptied, unless that was told just now.
func (g *guard) tellEmptied() bool {
	if time.Since(g.toldEmpty) <= 2*guardTime {
		return false
	}
	g.toldEmpty = time.Now()
	g.tellCost("another program has emptied the buffers of this trace", tracefs.Interference{})
	return true
}

// restore arms again.
func (g *guard) restore(c *tracefs.Change) {
	said := g.said(c)
	g.spoke = time.Now()
	g.uncounted = g.uncounted || !c.Counted
	if c.Gone() && g.t.recording.Load() { // its number would be another one
		g.tell(g.of(c), "%s; a recording cannot go on with another one", said)
		g.told[c.File+" "+c.Event] = c
		return
	}
	if err := g.t.session.Restore(c); err != nil {
		g.tell(g.of(c), "%s; it cannot be armed again: %v", said, err)
		g.told[c.File+" "+c.Event] = c
		return
	}
	if c.Gone() {
		g.renumber(c.Event)
	}
	i := g.of(c)
	i.Rearmed = true
	g.tellCost(said+"; it is armed again, and", i)
}

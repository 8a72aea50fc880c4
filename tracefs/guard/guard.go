// Package guard watches over a trace that runs. It detects what other programs do to it,
// undoes that or says how, and counts what it has cost; it disables probes that are called
// too often.
package guard

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/balance"
	"github.com/tsnoop/tsnoop/tracefs/define"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// guardTime is how often the guard checks a trace when no file events arrive.
const guardTime = time.Second

// pageFile holds the size of a buffer page.
const pageFile = "buffer_subbuf_size_kb"

// fewEvents is how many events are checked each time.
const fewEvents = 32

// Options says what to guard.
type Options struct {
	Session    *tracefs.Session
	Renumbered *define.Renumbered    // learns the IDs of probes that the guard defines again
	Plans      func() []*plan.Plan   // those that are defined now
	Family     func() ([]int, error) // threads to be traced; nil for all
	Stacks     bool                  // the kernel also records stacks
	NewTasks   bool                  // and new tasks
	Warner     tracefs.Warner

	Restore bool // undo what other programs change; otherwise only warn
	MaxRate int  // events a second allowed for one probe; 0 for no limit

	Recording func() bool       // reports whether raw pages are being recorded
	Breaks    func(goesOn bool) // is called when events may have been missed up to now, and may be from now on
	Tampered  func()            // is called when another program has interfered
	Spend     func()            // is called when all probes are disabled

	// SwitchOff disables and reports a plan that has had rate events a second, and what is
	// wrong without it. It returns all of these.
	SwitchOff func(p *plan.Plan, rate uint64) ([]*plan.Plan, error)
}

// A Guard detects that another program interferes with a trace, since then silence does
// not mean that nothing is called. It checks when inotify reports a change, every
// guardTime, and at the end. It also disables probes that are hit too often. A nil Guard
// guards nothing.
type Guard struct {
	o           Options
	rates       *rates
	watch       *tracefs.Watch // nil if there is no inotify
	watchFailed bool           // the watch has failed
	over        chan struct{}
	end         sync.Once
	done        sync.WaitGroup

	reported      map[string]*tracefs.Change // changes in effect now, by file and event
	next          int                        // the event to check next
	written       []string                   // files that others have just written to
	opens         map[string]int             // how often each pipe was opened, by anyone
	listed        string                     // the last warning about a list of threads
	emptied       bool                       // a buffer was emptied, which is not reported yet
	paged         bool                       // the page size was written; the kernel empties all buffers then, maybe a little later
	reportedEmpty time.Time                  // when emptied buffers were last reported
	reportedPages time.Time                  // when a change of the page size was last reported
	lastReport    time.Time                  // when any change was last reported
	ids           map[int]bool               // IDs of the trace's events, also from before they were defined again
	held          bool                       // mark was not moved, since events were missing
	restored      map[string]bool            // lists of threads that have been set back
	short         map[string]bool            // lists of threads by which less is traced than was asked for
	readers       []proc.Holder              // readers that have been reported
	suspectSince  time.Time                  // when it first seemed that others read events
	stolen        bool                       // it has been reported that others read events
	closed        bool                       // the last balance has been struck
	known         balance.Conditions         // what is known of the kernel's counts since mark
	mark          balance.Counts             // counts when everything was last in order
}

// New returns a Guard. From here on it notices what others do: call it before the session
// is enabled.
func New(o Options) *Guard {
	g := &Guard{o: o, over: make(chan struct{}), reported: map[string]*tracefs.Change{}, opens: map[string]int{}, restored: map[string]bool{}, short: map[string]bool{}, ids: map[int]bool{}}
	g.rates = newRates(g)
	var err error
	if g.watch, err = o.Session.Watch(); err != nil {
		o.Warner.Detailf("changes by other programs are looked for only every %v: %v", guardTime, err)
	} else {
		for _, err := range g.watch.Failed {
			o.Warner.Detailf("not watched: %v", err)
		}
	}
	return g
}

// Begin starts to guard the trace, which is enabled by now. Events lost from here on are
// counted.
func (g *Guard) Begin() {
	var early []tracefs.Touch
	if g.watch != nil {
		early = slices.DeleteFunc(g.o.Session.CollectTouches(g.watch, nil), func(t tracefs.Touch) bool { return t.Own })
	}
	g.mark = g.account() // what was hit while the probes were enabled was not recorded
	g.done.Go(func() { g.run(early) })
}

// WatchFurther also watches events that are defined while the trace runs.
func (g *Guard) WatchFurther(events []string) {
	if g != nil && g.watch != nil {
		g.watch.AddEvents(g.o.Session, events)
	}
}

// Stop checks for the last time. It must be called before the trace is switched off.
func (g *Guard) Stop() {
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

// Close releases the guard. It must be called after the last balance.
func (g *Guard) Close() {
	g.Stop()
	if g != nil && g.watch != nil {
		g.watch.Close()
	}
}

// run handles what the watch reports, and from time to time checks what it may have
// missed. The watch's reports come first: otherwise the change would be reported as
// something else, or not at all.
func (g *Guard) run(early []tracefs.Touch) {
	g.touched(early)
	g.look(g.some())
	g.firstThreads()
	for next := time.Now().Add(guardTime); g.wait(g.rates.next(next)); {
		now := time.Now()
		g.rates.check(now)
		if now.Before(next) {
			continue
		}
		next = now.Add(guardTime)
		g.wasPaged()
		g.look(g.some())
		g.balance(false)
	}
	g.wasPaged()
	g.look(g.o.Session.Events())
	if g.differs() {
		g.reportCost("this trace was not set back", tracefs.Interference{})
	}
}

// wait waits until a time, or until the watch reports something, which it then handles.
// It returns false when the guard is to end.
func (g *Guard) wait(until time.Time) bool {
	if g.watch == nil || g.watchFailed {
		select {
		case <-time.After(time.Until(until)):
			return true
		case <-g.over:
			return false
		}
	}
	seen, err := g.watch.Next(until)
	if err != nil {
		g.watchFailed = true
		g.o.Warner.Detailf("changes by other programs are no longer reported: %v", err)
	}
	g.touched(g.o.Session.CollectTouches(g.watch, seen))
	select {
	case <-g.over:
		return false
	default:
		return true
	}
}

// wasPaged notes that the buffers were emptied by a change of the page size that was
// undone before anyone has looked.
func (g *Guard) wasPaged() {
	if g.paged && time.Since(g.reportedPages) > 2*guardTime {
		g.emptied, g.known.CountsReset = true, true
	}
	g.paged = false
}

// some returns the events to check next.
func (g *Guard) some() []string {
	events := g.o.Session.Events()
	if len(events) <= fewEvents {
		return events
	}
	g.next %= len(events)
	part := events[g.next:min(g.next+fewEvents, len(events))]
	g.next += fewEvents
	return part
}

// touched checks the files that somebody has written to or opened.
func (g *Guard) touched(seen []tracefs.Touch) {
	if len(seen) == 0 {
		return
	}
	to := g.sort(seen)
	if to.emptied || g.paged || len(to.lists)+len(to.written) > 0 { // what it was is found out below, which takes time
		g.o.Breaks(true)
		defer func() { g.o.Breaks(g.differs() || g.stolen) }()
	}
	if to.emptied {
		g.recount()
	}
	for _, l := range to.lists { // before look takes what they have cost for a drift
		g.threads(l)
	}
	g.written = to.written
	g.look(to.events)
	g.written = nil
	if to.opened {
		g.opened()
	}
	g.balance(false)
}

// A touched is what files were touched, by what it may mean.
type touched struct {
	events  []string // whose files were touched
	lists   []string // of threads
	written []string // by others, and what they hold matters
	opened  bool     // a pipe, by somebody else
	emptied bool     // a buffer
}

// sort sorts what the watch has reported.
func (g *Guard) sort(seen []tracefs.Touch) (to touched) {
	all := false // events may have changed
	for _, s := range seen {
		event, what, isEvent := g.o.Session.EventOf(s.File)
		if isEvent && strings.Contains(event, "/") && !g.o.Session.HasEvent(event) {
			continue // the kernel has removed it with its module
		}
		if matters(s.File, isEvent) && !s.Own {
			to.written = append(to.written, s.File)
		}
		switch {
		case s.Opened:
			g.opens[s.File]++
			to.opened = to.opened || g.opens[s.File] > g.o.Session.Opened(s.File)
		case isEvent && what != "":
			to.events = append(to.events, event)
		case isEvent && event == "filter":
			all = true // the filter of the whole group
		case empties(s):
			to.emptied = true
		case s.File == pageFile:
			g.paged = true
		case s.File == "set_event_pid" || s.File == "set_event_notrace_pid":
			to.lists = append(to.lists, s.File)
		case strings.HasPrefix(s.File, "/") || s.File == "":
			all = true // files of definitions, or the queue has overflowed
		}
	}
	if all {
		to.events = g.o.Session.Events()
	}
	slices.Sort(to.events)
	slices.Sort(to.lists)
	to.events, to.lists = slices.Compact(to.events), slices.Compact(to.lists)
	return to
}

// differs reports whether something is still not as it should be, so that what it costs
// is reported when it is.
func (g *Guard) differs() bool { return len(g.reported) > 0 || len(g.short) > 0 }

// look reports what others have changed of the trace and of these events, and what they
// have undone.
func (g *Guard) look(events []string) {
	now := g.account()
	lacking, _ := g.mark.Lacks(now)
	found, restored := g.changes(events)
	back := g.forget(events, found)
	switch {
	case g.differs(), restored: // the cost is reported with that
	case back:
		g.reportCost("this trace is as it was again", tracefs.Interference{})
	case g.emptied && g.reportEmptied():
	case g.emptied: // that has just been reported
		g.mark, g.known.CountsReset = g.account(), false
	case g.passed(now):
	case now.Still && g.mark.Still && lacking > 0 && !g.held:
		g.held = true // a write to a file may be about to be noticed
	case now.Exact() || !g.mark.Exact():
		g.known.Drifts = g.known.Drifts || g.held
		g.mark, g.held = now, false
	}
	g.emptied = false
}

// changes finds what others have changed, and undoes or reports what is new of it. found has
// what remains.
func (g *Guard) changes(events []string) (found map[string]bool, restored bool) {
	found = map[string]bool{}
	for _, c := range g.o.Session.Changes(events) {
		key := c.File + " " + c.Event
		g.known.CountsReset = g.known.CountsReset || c.Cost != ""
		if strings.HasSuffix(c.File, pageFile) { // the warning says that this has emptied the buffers
			g.reportedPages = time.Now()
		}
		if g.reported[key] != nil && g.reported[key].After == c.After {
			found[key] = true
			continue
		}
		if g.o.Restore && !c.Shared {
			g.restore(c)
			restored = true
			continue
		}
		found[key] = true
		g.reported[key], g.lastReport = c, time.Now()
		g.known.Uncounted = g.known.Uncounted || !c.Counted
		message, goOn := g.describe(c)
		g.report(g.of(c), "%s; %s", message, goOn)
	}
	return found, restored
}

// forget forgets the reported changes that are not there any more, and reports whether there
// are such.
func (g *Guard) forget(events []string, found map[string]bool) (back bool) {
	for key, c := range g.reported {
		asked := c.Event == "" || slices.Contains(events, c.Event)
		if found[key] || !asked {
			continue
		}
		delete(g.reported, key)
		back = true
		if strings.HasSuffix(c.File, pageFile) {
			g.reportedPages = time.Now()
		}
	}
	return back
}

// reportEmptied reports that the buffers were emptied, unless it has just done so.
func (g *Guard) reportEmptied() bool {
	if time.Since(g.reportedEmpty) <= 2*guardTime {
		return false
	}
	g.reportedEmpty = time.Now()
	by := "another program has emptied the buffers of this trace"
	if g.o.Session.LostEvents(2 * guardTime) {
		by = "a module was unloaded, and the kernel has emptied the buffers of this trace"
	}
	g.reportCost(by, tracefs.Interference{})
	return true
}

// restore undoes a change.
func (g *Guard) restore(c *tracefs.Change) {
	message, _ := g.describe(c)
	g.lastReport = time.Now()
	g.known.Uncounted = g.known.Uncounted || !c.Counted
	if c.Gone() && g.o.Recording() { // its event ID would be another one
		g.report(g.of(c), "%s; a recording cannot go on with another one", message)
		g.reported[c.File+" "+c.Event] = c
		return
	}
	// From here on the probes seem to have been enabled all the time, but what they cost is
	// known only later.
	g.o.Breaks(true)
	if err := g.o.Session.Restore(c); err != nil {
		g.report(g.of(c), "%s; it cannot be enabled again: %v", message, err)
		g.reported[c.File+" "+c.Event] = c
		return
	}
	if c.Gone() {
		g.o.Renumbered.Learn(c.Event)
	}
	i := g.of(c)
	i.Restored = true
	g.reportCost(message+"; it is enabled again, and", i)
}

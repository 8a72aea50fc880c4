package trace

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// guardTime is between two looks at a trace that nothing is heard of.
const guardTime = time.Second

// fewEvents is how many events are looked at each time.
const fewEvents = 32

// A guard tells when another program interferes with a trace, for then silence does
// not mean that nothing is called: as soon as inotify says so, every guardTime, and at
// the end.
type guard struct {
	t       *Trace
	rearm   bool
	maxRate int
	family  func() ([]int, error) // threads that are to be traced; nil for all
	watch   *tracefs.Watch        // nil where there is no inotify
	over    chan struct{}
	end     sync.Once
	done    sync.WaitGroup

	told      map[string]*tracefs.Change // what is changed now, by file and event
	next      int                        // the event to look at next
	opens     map[string]int             // how often each pipe was opened, by whomever
	listed    string                     // what was said last of lists of threads
	formats   []*tracefs.Format          // that the trace began with
	emptied   bool                       // a buffer was, which has not been told yet
	anew      bool                       // and the kernel counts anew since the mark
	mended    map[string]bool            // lists of threads that have been set back
	readers   []proc.Holder              // that have been told of
	uncounted bool                       // probes were off, and so has been their count
	robbed    bool                       // it has been told that events are read by others
	closed    bool                       // the last balance has been struck
	mark      account                    // when all was last as it should be
}

// An account is what the kernel has counted.
type account struct {
	known bool
	exact bool   // nothing has happened while the counts were read
	hits  uint64 // of the probes
	seen  uint64 // events that were read here, or will be, or by others, or that are told of as lost
}

// watchOver begins to guard the trace.
func (t *Trace) watchOver(o Options) *guard {
	g := &guard{t: t, rearm: o.Rearm, maxRate: o.MaxRate, over: make(chan struct{}), told: map[string]*tracefs.Change{}, formats: slices.Clone(t.formats), opens: map[string]int{}, mended: map[string]bool{}}
	if len(o.Pids) > 0 {
		g.family = func() ([]int, error) { return family(o.Pids, o.Follow) }
	}
	touched := make(chan []tracefs.Touch)
	var err error
	if g.watch, err = t.session.Watch(); err != nil {
		t.detail("what other programs do to this trace is seen once in %v only: %v", guardTime, err)
	} else {
		for _, err := range g.watch.Failed {
			t.detail("not watched: %v", err)
		}
		go g.listen(touched)
	}
	g.mark = g.account()
	g.done.Go(func() { g.run(touched) })
	return g
}

// stop looks for the last time, which must be before the trace is switched off.
func (g *guard) stop() {
	if g == nil {
		return
	}
	g.end.Do(func() { close(g.over) })
	g.done.Wait()
}

func (g *guard) listen(touched chan<- []tracefs.Touch) {
	for {
		seen, err := g.watch.Next()
		if err != nil {
			return
		}
		select {
		case touched <- seen:
		case <-g.over:
			return
		}
	}
}

func (g *guard) run(touched <-chan []tracefs.Touch) {
	if g.watch != nil {
		defer g.watch.Close()
	}
	tick := time.NewTicker(guardTime)
	defer tick.Stop()
	g.look(g.some())
	rates := newRates(g.t, g.maxRate)
	for {
		select {
		case seen := <-touched:
			g.touched(seen)
		case <-tick.C:
			g.look(g.some())
			g.balance(false)
			rates.check(time.Now())
		case <-g.over:
			g.look(g.t.session.Events())
			if len(g.told) > 0 {
				g.t.warn("this trace was not set back; %s", g.cost())
			}
			return
		}
	}
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
	var events []string
	var lists []string
	opened, emptied, all := false, false, false
	group := "events/" + g.t.session.Group() + "/"
	for _, s := range seen {
		event, isEvent := strings.CutPrefix(s.File, group)
		event, _, isFile := strings.Cut(event, "/")
		switch {
		case s.Opened:
			g.opens[s.File]++
			opened = opened || g.opens[s.File] > g.t.session.Opened(s.File)
		case isEvent && isFile:
			events = append(events, event)
		case s.File == "trace" || strings.HasSuffix(s.File, "snapshot"):
			emptied = true
		case s.File == "set_event_pid" || s.File == "set_event_notrace_pid":
			lists = append(lists, s.File)
		case strings.HasPrefix(s.File, "/") || s.File == "":
			all = true // the files of definitions, or too much has happened
		}
	}
	if all {
		events = g.t.session.Events()
	}
	g.emptied, g.anew = g.emptied || emptied, g.anew || emptied
	slices.Sort(events)
	slices.Sort(lists)
	g.look(slices.Compact(events))
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
	found := map[string]bool{}
	for _, c := range g.t.session.Changes(events) {
		key := c.File + " " + c.Event
		g.anew = g.anew || c.Cost != ""
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
		g.told[key] = c
		g.uncounted = g.uncounted || !c.Counted
		g.t.warn("%s; %s", g.said(c), g.cure(c))
	}
	asked := func(c *tracefs.Change) bool { return c.Event == "" || slices.Contains(events, c.Event) }
	back := false
	for key, c := range g.told {
		if !found[key] && asked(c) {
			delete(g.told, key)
			back = true
		}
	}
	switch {
	case len(g.told) > 0, restored: // what it costs comes with that
	case back:
		g.t.warn("this trace is as it was again; %s", g.cost())
	case g.emptied:
		g.t.warn("another program has emptied the buffers of this trace; %s", g.cost())
	case now.exact || !g.mark.exact:
		g.mark = now
	}
	g.emptied = false
}

// restore arms again.
func (g *guard) restore(c *tracefs.Change) {
	said := g.said(c)
	g.uncounted = g.uncounted || !c.Counted
	if c.Gone() && g.t.recording.Load() { // its number would be another one
		g.t.warn("%s; a recording cannot go on with another one", said)
		g.told[c.File+" "+c.Event] = c
		return
	}
	if err := g.t.session.Restore(c); err != nil {
		g.t.warn("%s; it cannot be armed again: %v", said, err)
		g.told[c.File+" "+c.Event] = c
		return
	}
	if c.Gone() {
		g.renumber(c.Event)
	}
	g.t.warn("%s; it is armed again, and %s", said, g.cost())
}

// account is what has been counted until now.
//
// The counts are read one after the other: they are exact if nothing has happened
// meanwhile.
func (g *guard) account() (a account) {
	const tries = 5
	for range tries {
		before, err := g.hits()
		b, e := g.t.session.Balance()
		if err = firstError(err, e); err != nil {
			return account{}
		}
		g.emptied, g.anew = g.emptied || b.Emptied, g.anew || b.Emptied
		a = account{known: true, seen: b.Seen + b.Stolen}
		if a.hits, err = g.hits(); err == nil && a.hits == before {
			a.exact = true
			break
		}
	}
	return a
}

// hits is how often all probes were hit.
func (g *guard) hits() (n uint64, err error) {
	hits, err := g.t.session.Profile()
	for _, h := range hits {
		n += h.Hits
	}
	return n, err
}

// cost is how many events the interference that has been told of has cost, as far as
// the kernel has counted, and begins anew.
func (g *guard) cost() string {
	was := g.mark
	g.mark = g.account()
	hits := int64(g.mark.hits - was.hits)
	missing := hits - int64(g.mark.seen-was.seen)
	uncounted, anew := g.uncounted, g.anew
	g.uncounted, g.anew = false, false
	about := ""
	if !was.exact || !g.mark.exact {
		about = "about "
	}
	switch {
	case !g.mark.known || !was.known:
		return "how many events that has cost is not known"
	case anew:
		return "how many events that has cost is not known, for the kernel has begun to count anew"
	case !g.t.countable():
		return fmt.Sprintf("the probes were hit %d times meanwhile, and how much of that was asked for is not known", hits)
	case uncounted && missing > 0:
		return fmt.Sprintf("%s%d events are missing, and those that nobody has counted", about, missing)
	case uncounted:
		return "how many events that has cost is not known, for probes that are off count nothing"
	case missing > 0:
		return fmt.Sprintf("%s%d events are missing", about, missing)
	}
	return "no events are missing"
}

// countable tells whether every hit of a probe makes an event, and nothing else does.
func (t *Trace) countable() bool {
	if t.stacks != nil || t.own != nil || t.pids {
		return false
	}
	for _, p := range fetchargs.Probes(t.plansNow()) {
		if p.Filter != "" {
			return false
		}
	}
	return true
}

// opened says who else has opened the pipes of the trace.
func (g *guard) opened() {
	for _, h := range proc.Holders("instances/" + g.t.session.Group()) {
		if !strings.Contains(h.File, "trace_pipe") || slices.Contains(g.readers, h) {
			continue
		}
		g.readers = append(g.readers, h)
		g.t.warn("%s has opened %s of this trace: what it reads is not shown here", h, h.File)
	}
}

// balance says what others have read: that they do, at once, and in the end how much.
// The end is before the last counts are read, for which pages may be taken.
func (g *guard) balance(final bool) {
	if g == nil || g.closed {
		return
	}
	g.closed = final
	b, err := g.t.session.Balance()
	if err != nil || !b.Sure || b.Stolen == 0 || g.robbed && !final {
		return
	}
	g.robbed = true
	if len(g.readers) == 0 {
		g.opened()
	}
	by := "another program"
	if len(g.readers) > 0 {
		names := make([]string, len(g.readers))
		for i, h := range g.readers {
			names[i] = h.String()
		}
		slices.Sort(names)
		by = strings.Join(slices.Compact(names), ", ")
	}
	if final {
		g.t.warn("%d events were read by %s and are not shown", b.Stolen, by)
	} else {
		g.t.warn("events of this trace are being read by %s: %d so far, which are not shown", by, b.Stolen)
	}
}

// Package nocalls explains why a trace shows no calls. Whoever traces a function sees
// nothing if it is not called, but also if it is never called as was asked for, if the
// kernel could not run its probe, or if no call has returned yet. The counts of the
// kernel and of the reader tell these apart.
package nocalls

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/define"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/losses"
)

// settle is how long an event may take from being counted by the kernel to being
// counted by the reader.
const settle = 300 * time.Millisecond

// mostSettle is how many times to wait for settle while a buffer has events that nobody
// has read, or events that were read have not been seen yet.
const mostSettle = 5

// Scope says what is left out of a trace.
type Scope struct {
	Pids  bool // other processes
	CPUs  bool // other CPUs
	Chain bool // calls that are in no chain
}

// Counts of what is seen of each plan until the first call. One goroutine may explain
// them while another counts.
type Counts struct {
	plans []*plan.Plan // the plans that were armed first
	of    map[int]int  // index in plans, by event ID
	ret   map[int]bool // event IDs of returns
	scope Scope

	over atomic.Bool // nothing is counted any more
	mu   sync.Mutex  // guards seen
	seen []counts
}

// counts holds what was seen of one plan.
type counts struct {
	entries, returns uint64   // events of the first part
	elsewhere        uint64   // calls on CPUs that were not asked for
	refused          uint64   // calls for which a condition did not hold
	held             []uint64 // of the refused calls, how many met each condition of the plan
}

// New returns the counts of plans. format returns the format of a probe's events.
func New(plans []*plan.Plan, format func(*plan.Probe) *tracefs.Format, s Scope) *Counts {
	q := &Counts{plans: slices.Clone(plans), of: map[int]int{}, ret: map[int]bool{}, scope: s}
	q.seen = make([]counts, len(q.plans))
	for i, plan := range q.plans {
		if plan.IsOwn() {
			continue
		}
		q.seen[i].held = make([]uint64, len(plan.Conditions()))
		for _, p := range plan.Probes {
			if f := format(p); f != nil && p.Part == 0 {
				q.of[f.ID], q.ret[f.ID] = i, p.Side == dynevent.Return
			}
		}
	}
	return q
}

// End ends the counting: a call is shown, or the plans have changed.
func (q *Counts) End() { q.over.Store(true) }

// Event counts an event.
func (q *Counts) Event(e *tracefs.Event) {
	if q.over.Load() {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i, ok := q.of[e.Format.ID]; ok {
		if q.ret[e.Format.ID] {
			q.seen[i].returns++
		} else {
			q.seen[i].entries++
		}
	}
}

// Elsewhere counts a call of a plan on another CPU.
func (q *Counts) Elsewhere(plan int) { q.count(plan, func(c *counts) { c.elsewhere++ }) }

// Refused counts a call of a plan for which the conditions do not hold. held adds to a
// count of each condition whether it holds.
func (q *Counts) Refused(plan int, held func([]uint64)) {
	q.count(plan, func(c *counts) {
		c.refused++
		held(c.held)
	})
}

func (q *Counts) count(plan int, add func(*counts)) {
	if q.over.Load() {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if plan < len(q.seen) {
		add(&q.seen[plan])
	}
}

// Explain says in a few sentences why no call has come yet, or nothing if one has come.
// After that, counting stops. Unless all events were read, it takes 300 ms, or up to five
// times as long while there are some that were not. now are the plans that are defined now.
func (q *Counts) Explain(s *tracefs.Session, now []*plan.Plan, inFlight *losses.InFlight, h *host.Host, allRead bool) ([]string, error) {
	if q.over.Load() {
		return nil, nil
	}
	hits, err := define.Hits(s, now)
	if err != nil {
		return nil, err
	}
	for n := 0; n < mostSettle && !allRead; n++ {
		time.Sleep(settle)
		allRead = !unread(s) && !q.unseen(s)
	}
	if q.over.Swap(true) {
		return nil, nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.why(hits, inFlight.Now(), func(name string) string { return otherCopies(h, name) }), nil
}

// unread reports whether the buffers have events.
func unread(s *tracefs.Session) bool {
	all, err := s.Stats()
	return err == nil && slices.ContainsFunc(all, func(st tracefs.CPUStats) bool { return st.Entries > 0 })
}

// unseen reports whether more events were read than counted here. An event takes some
// ms in between, longer on a busy machine; events of threads that are not asked for
// never arrive.
func (q *Counts) unseen(s *tracefs.Session) bool {
	tally := s.Tally()
	q.mu.Lock()
	defer q.mu.Unlock()
	read, seen := uint64(0), uint64(0)
	for id := range q.of {
		read += tally.Of(id)
	}
	for i := range q.seen {
		seen += q.seen[i].entries + q.seen[i].returns
	}
	return read > seen
}

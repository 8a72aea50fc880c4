package trace

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/define"
	"github.com/tsnoop/tsnoop/tracefs/losses"
	"github.com/tsnoop/tsnoop/tracefs/machine"
)

// settle is how long an event may take from being counted by the kernel to being
// counted by the reader.
const settle = 300 * time.Millisecond

// mostSettle is how many times to wait for settle while a buffer has events that nobody
// has read, or events that were read have not been seen yet.
const mostSettle = 5

// mostQuiet is for how many functions Quiet explains why they are quiet.
const mostQuiet = 5

// A quiet counts what is seen of each plan until the first call, to explain why there
// is none.
type quiet struct {
	plans []*plan.Plan // the plans that were armed first
	of    map[int]int  // index in plans, by event ID
	ret   map[int]bool // event IDs of returns
	pids  bool
	cpus  bool // the kernel records only some CPUs
	chain bool

	mu    sync.Mutex // guards everything below
	ended bool
	seen  []quietCounts
}

// quietCounts holds what was seen of one plan.
type quietCounts struct {
	entries, returns uint64   // events of the first part
	elsewhere        uint64   // calls on CPUs that were not asked for
	refused          uint64   // calls for which a condition did not hold
	held             []uint64 // of the refused calls, how many met each condition of the plan
}

func newQuiet(t *Trace, o Options) *quiet {
	q := &quiet{plans: slices.Clone(t.plans), of: map[int]int{}, ret: map[int]bool{}, pids: t.pids, cpus: len(o.CPUs) > 0, chain: o.Chain}
	q.seen = make([]quietCounts, len(q.plans))
	for i, plan := range q.plans {
		if plan.Renames != "" {
			continue
		}
		q.seen[i].held = make([]uint64, len(plan.Conditions()))
		for _, p := range plan.Probes {
			if f := t.format[p]; f != nil && p.Part == 0 {
				q.of[f.ID], q.ret[f.ID] = i, p.Side == dynevent.Return
			}
		}
	}
	return q
}

// end notes that a call has come. It returns nil, which replaces q in the reading.
func (q *quiet) end() *quiet {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	return nil
}

// saw counts an event. It returns q, or nil if it need not be called any more.
func (q *quiet) saw(e *tracefs.Event) *quiet {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return nil
	}
	if i, ok := q.of[e.Format.ID]; ok {
		if q.ret[e.Format.ID] {
			q.seen[i].returns++
		} else {
			q.seen[i].entries++
		}
	}
	return q
}

// elsewhere counts a call on another CPU.
func (q *quiet) elsewhere(plan int) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if plan < len(q.seen) {
		q.seen[plan].elsewhere++
	}
}

// refused counts a call for which the conditions do not hold.
func (q *quiet) refused(plan int, held func([]uint64)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if plan < len(q.seen) {
		q.seen[plan].refused++
		held(q.seen[plan].held)
	}
}

// Quiet explains why no call has come yet, as far as the counts of the kernel and of
// the reader tell. It returns a few sentences, or none if a call has come. After that,
// counting stops, so call it only once. It takes 300 ms, or up to five times as long
// while there are events that were not read. It may be called from a goroutine other
// than the one that reads the calls.
func (t *Trace) Quiet() []string {
	q := t.why
	q.mu.Lock()
	ended := q.ended
	q.mu.Unlock()
	if ended {
		return nil
	}
	hits, err := define.Hits(t.session, t.plansNow())
	if err != nil {
		t.warner.Detailf("%v", err)
		return nil
	}
	for range mostSettle {
		time.Sleep(settle)
		if !t.unread() && !t.unseen(q) {
			break
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return nil
	}
	q.ended = true
	return q.why(hits, t.inFlight.Now(), func(name string) string { return otherCopies(t.machine, name) })
}

// unread reports whether the buffers have events.
func (t *Trace) unread() bool {
	all, err := t.session.Stats()
	return err == nil && slices.ContainsFunc(all, func(st tracefs.CPUStats) bool { return st.Entries > 0 })
}

// unseen reports whether more events were read than counted here. An event takes some
// ms in between, longer on a busy machine; events of threads that are not asked for
// never arrive.
func (t *Trace) unseen(q *quiet) bool {
	tally := t.session.Tally()
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

// why explains for each plan why no call of it has come.
func (q *quiet) why(hits map[string]tracefs.Hits, open []losses.Unfinished, elsewhere func(string) string) (all []string) {
	var uncalled []string
	some := false
	for i, p := range q.plans {
		if p.Renames != "" {
			continue
		}
		name := p.Spec.Func.Text
		first := hits[p.Probes[0].Event]
		if first.Hits == 0 && first.Misses == 0 && q.seen[i].entries+q.seen[i].returns == 0 {
			if i := slices.IndexFunc(open, func(u losses.Unfinished) bool { return u.Func == name }); i >= 0 {
				came := "came"
				if open[i].Earlier {
					came = "came before the trace"
				}
				all = append(all, name+": "+losses.CallsOf(open[i].Calls)+" "+came+", but none has returned yet")
				some = true
			} else {
				uncalled = append(uncalled, name)
			}
			continue
		}
		some = true
		if text := q.called(i, hits); text != "" && !slices.Contains(all, name+text) {
			all = append(all, name+text)
		}
	}
	if further := len(all) - mostQuiet; further > 0 {
		all = append(all[:mostQuiet], fmt.Sprintf("likewise %d more functions have been called", further))
	}
	if len(uncalled) > 0 {
		all = append(all, notCalled(uncalled, some, elsewhere))
	}
	return all
}

// notCalled says that functions have not been called, and of which of them another copy
// may have run.
func notCalled(names []string, others bool, elsewhere func(string) string) string {
	slices.Sort(names)
	names = slices.Compact(names)
	n := len(names)
	switch {
	case n == 1:
		text := names[0] + " has not been called"
		if why := elsewhere(names[0]); why != "" {
			text += "; it " + why
		}
		return text
	case n <= mostQuiet:
		text := strings.Join(names[:n-1], ", ") + " and " + names[n-1] + " have not been called"
		for _, name := range names {
			if why := elsewhere(name); why != "" {
				text += "; " + name + " " + why
			}
		}
		return text
	case others:
		return fmt.Sprintf("%d others have not been called", n)
	}
	return fmt.Sprintf("none of the %d functions has been called", n)
}

// otherCopies says where calls of a function may run past its probe, as far as the kernel
// knows: its symbols have the copies that the compiler has made as functions, and BTF too
// has only functions; neither has the places where a function was put into its callers.
func otherCopies(m *machine.Machine, name string) string {
	facts, _ := m.SymbolFacts([]string{name}, false)
	clones := slices.DeleteFunc(slices.Clone(facts[name].Clones), func(clone string) bool {
		return strings.Contains(clone, ".cold") // a part that only the function itself jumps to
	})
	if len(clones) > 0 {
		return "is also compiled as " + strings.Join(clones, ", ") + ", which its callers may call instead"
	}
	if m.Symbols.IsLocal(name) {
		return "is static, so the compiler may have put it into its callers instead"
	}
	return ""
}

// called explains why no call of a function that was called is shown.
func (q *quiet) called(i int, hits map[string]tracefs.Hits) string {
	p, seen := q.plans[i], &q.seen[i]
	first, last := p.Probes[0], p.Probes[0]
	if ret := p.Return(); ret != nil {
		last = ret
	}
	begun := seen.entries
	if first.Side == dynevent.Return {
		begun = seen.returns
	}
	h := hits[first.Event]
	switch {
	case h.Hits == 0 && begun == 0:
		return fmt.Sprintf(" has been called, but the kernel could not run its probe: %d misses", h.Misses)
	case begun == 0:
		return fmt.Sprintf(" has been %s %s, but %s", did(first), times(h.Hits), q.never(p, first))
	case q.chain:
		return ": calls were seen, but none in the chain"
	case seen.refused > 0:
		return ": " + losses.CallsOf(seen.refused) + " came, but " + unmet(p, seen)
	case seen.elsewhere > 0:
		return ": " + losses.CallsOf(seen.elsewhere) + " came, but of other CPUs than those that are asked for"
	case seen.returns > 0 || !p.Paired():
		return ""
	case hits[last.Event].Hits == 0 && hits[last.Event].Misses > 0:
		return ": " + losses.CallsOf(begun) + " came, but the kernel could not follow them to their return: see --maxactive"
	case hits[last.Event].Hits > 0 && last.Chooses():
		return fmt.Sprintf(": %s came, and the function has returned %s, but %s", losses.CallsOf(begun), times(hits[last.Event].Hits), q.never(p, last))
	}
	return ": " + losses.CallsOf(begun) + " came, but none has returned yet"
}

func did(p *plan.Probe) string {
	if p.Side == dynevent.Return {
		return "left"
	}
	return "called"
}

// never says which properties no event of a probe has had together, so that the kernel
// has recorded none.
func (q *quiet) never(p *plan.Plan, probe *plan.Probe) string {
	var what []string
	if conditions := p.Conditions(); probe.Chooses() && len(conditions) > 0 {
		switch {
		case len(conditions) > 1 && p.Decides(): // the kernel does not check all of them
			what = append(what, "so that the conditions hold")
		default:
			what = append(what, "with "+strings.Join(conditions, " && "))
		}
	}
	if q.pids {
		what = append(what, "in a process that is traced")
	}
	if probe.ChoosesComm() {
		what = append(what, "in a task whose name is asked for")
	}
	if q.cpus && !p.Paired() {
		what = append(what, "on a CPU that is asked for")
	}
	if len(what) == 0 {
		return "only by tsnoop itself, which does not show its own calls"
	}
	return "never " + strings.Join(what, " ")
}

// unmet says which conditions no call has met.
func unmet(p *plan.Plan, seen *quietCounts) string {
	var never []string
	sum := uint64(0)
	for i, text := range p.Conditions() {
		if sum += seen.held[i]; seen.held[i] == 0 {
			never = append(never, text)
		}
	}
	switch {
	case len(seen.held) == 1:
		return "never with " + never[0]
	case sum > 0 && len(never) > 0:
		return "never with " + strings.Join(never, ", nor with ")
	}
	return "the conditions held for none of them"
}

func times(n uint64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

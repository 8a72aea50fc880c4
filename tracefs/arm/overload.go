package arm

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/tracefs"
)

// riskyFunctions lists functions that a kernel under load calls so often, or in such places,
// that a probe may bring the machine to a stop. Many functions that match are harmless,
// so a look counts their calls first: a function with fewer than calm calls a second is
// harmless. If a probe would stall all CPUs, or interrupts, calm is low, since even few
// calls mean that many may come.
var riskyFunctions = []struct {
	calm  uint64
	names []string
}{
	{100, []string{
		// locks
		"*spin_lock*", "*spin_unlock*", "*spin_trylock*", "*raw_read_lock*", "*raw_read_unlock*", "*raw_write_lock*", "*raw_write_unlock*",
		"lock_acquire", "lock_release", "*preempt_count*", "preempt_schedule*", "__local_bh_*",
		// RCU, clocks, interrupts, timers
		"rcu_*", "__rcu_*", "__srcu_*", "call_rcu*", "ktime_get*", "*sched_clock*", "read_tsc", "*_irq_enter*", "*_irq_exit*", "irq_enter*", "irq_exit*",
		"*tick_sched*", "update_process_times", "*apic_timer*", "local_touch_nmi", "*hrtimer_interrupt*", "*hrtimer_run_queues",
		// the scheduler
		"schedule", "__schedule", "*_task_fair", "*_entity", "pick_next_*", "put_prev_*", "update_curr*", "update_load_avg*", "update_rq_clock*",
		"*finish_task_switch*", "__switch_to*", "scheduler_tick", "sched_tick", "*set_next_task*", "*select_task_rq*", "*cpuacct*", "psi_*",
	}},
	{20_000, []string{
		"mutex_lock*", "mutex_unlock", "down_read", "up_read", "down_write", "up_write", "try_to_wake_up", "ttwu_*", "hrtimer_start*", "hrtimer_*cancel", "hrtimer_forward*",
		// memory
		"mem*cpy*", "memset*", "memmove*", "*copy_*_user*", "clear_page*", "copy_page*", "kmalloc*", "__kmalloc*", "kfree", "*kmem_cache_alloc*", "kmem_cache_free",
		"*slab_alloc*", "*slab_free*", "*alloc_pages*", "free_unref_*", "*handle_mm_fault*", "do_user_addr_fault", "*exc_page_fault*", "do_page_fault",
		// every system call
		"do_syscall_64*", "x64_sys_call", "el0_svc*", "invoke_syscall*", "syscall_enter_*", "syscall_exit_*", "syscall_trace_*", "fpregs_*", "__fget*", "fput*",
	}},
}

// calmRate returns how many calls a second of function are harmless. risky is false if
// any number is.
func calmRate(function string) (rate uint64, risky bool) {
	for _, d := range riskyFunctions {
		for _, glob := range d.names {
			if ok, _ := path.Match(glob, function); ok {
				return d.calm, true
			}
		}
	}
	return 0, false
}

// A look ends after lookTime, or after enough calls of all functions, when there is
// nothing more to learn.
const (
	lookTime = time.Second
	enough   = 100_000
)

// Overload refuses to arm functions that may bring the machine to a stop. It counts
// their calls with probes that record nothing.
func Overload(ctx context.Context, fs *tracefs.FS, plans []*plan.Plan, log func(format string, args ...any)) error {
	var risky []*plan.Plan
	for _, p := range plans {
		if _, is := calmRate(p.Func.Name); is && p.Renames == "" && p.AtFunction() {
			risky = append(risky, p)
		}
	}
	if len(risky) == 0 || ctx.Err() != nil {
		return nil
	}
	hits, took, err := look(fs, risky, log)
	if err != nil || hits == nil {
		return err
	}
	return tooHot(risky, hits, took)
}

// look counts calls. It skips functions that cannot be probed: Arm refuses those.
func look(fs *tracefs.FS, plans []*plan.Plan, log func(format string, args ...any)) (hits map[*plan.Plan]uint64, took time.Duration, err error) {
	s, err := fs.NewSession(tracefs.Options{BufferKB: 64, Log: log})
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = cmp.Or(err, s.Close()) }()
	events := map[*plan.Plan]string{}
	for _, one := range plans {
		p := plan.Probes([]*plan.Plan{one})[0]
		for _, symbol := range p.Symbols {
			kind := p.Kind
			if !kind.Counted() {
				kind = dynevent.Kprobe
			}
			if s.Define(kind.File(), kind.Head(s.Group(), p.Event, 0)+" "+symbol) == nil {
				events[one] = p.Event
			}
		}
	}
	if len(events) == 0 {
		return nil, 0, nil
	}
	counted, took, err := s.Count(lookTime, enough)
	hits = map[*plan.Plan]uint64{}
	for plan, event := range events {
		hits[plan] = counted[event].Hits + counted[event].Misses
	}
	return hits, took, err
}

// tooHot returns an error for each spec that asks for functions that are called too
// often.
func tooHot(plans []*plan.Plan, hits map[*plan.Plan]uint64, took time.Duration) error {
	var wrong spec.Errors
	rate := func(p *plan.Plan) uint64 {
		return uint64(float64(hits[p]) * float64(time.Second) / float64(max(took, time.Millisecond)))
	}
	worst := map[*spec.Spec]*plan.Plan{}
	many := map[*spec.Spec]int{}
	var specs []*spec.Spec
	for _, p := range plans {
		if calm, _ := calmRate(p.Func.Name); rate(p) < calm {
			continue
		}
		s := p.Spec
		if p.Glob != nil {
			s = p.Glob.Spec
		}
		if many[s]++; worst[s] == nil {
			specs = append(specs, s)
		}
		if worst[s] == nil || hits[p] > hits[worst[s]] {
			worst[s] = p
		}
	}
	for _, s := range specs {
		p := worst[s]
		others := ""
		if n := many[s] - 1; n > 0 {
			others = fmt.Sprintf(", and of %d others", n)
		}
		wrong = append(wrong, &spec.Error{Text: s.Text, Span: s.Func.Span,
			Msg:  fmt.Sprintf("there were %d calls a second of %s%s: to trace them all may bring this host to a stop", rate(p), p.Func.Name, others),
			Hint: "use --force to trace them anyway"})
	}
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}

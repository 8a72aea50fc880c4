package trace

import (
	"iter"
	"slices"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// processes knows which process each thread belongs to. An event has only the thread, and
// when it is read the thread may have ended. So the kernel also records an event for each
// new task, and /proc is asked for those that are older. A nil *processes knows nothing.
type processes struct {
	newTasks newTasks
	of       map[int]int // process by thread; -1 if it is not known
	foreign  bool        // /proc is of other tasks, or numbers them in another way than events
}

func newProcesses() *processes {
	return &processes{of: map[int]int{0: 0}, foreign: !tracefs.InitPIDNamespace()}
}

// Process returns the process that a thread belongs to at this point of the trace, and
// whether it is known. That needs Options.Processes.
func (r *Reading) Process(tid int) (pid int, ok bool) {
	if r.processes == nil {
		return 0, false
	}
	pid = r.processes.find(tid)
	return pid, pid >= 0
}

func (p *processes) find(tid int) int {
	pid, known := p.of[tid]
	if known {
		return pid
	}
	if pid = -1; !p.foreign {
		if of, ok := proc.ProcessOf(tid); ok {
			pid = of
		}
	}
	p.of[tid] = pid
	return pid
}

// remember looks up all threads that there are.
func (p *processes) remember() {
	if p == nil || p.foreign {
		return
	}
	for _, process := range proc.Processes() {
		tids, err := proc.Threads(process.PID)
		if err != nil {
			continue // it has ended
		}
		for _, tid := range tids {
			p.of[tid] = process.PID
		}
	}
}

// follow learns from the events of new tasks, and drops them if drop is set.
func (p *processes) follow(events iter.Seq2[*tracefs.Event, error], drop bool) iter.Seq2[*tracefs.Event, error] {
	if p == nil {
		return events
	}
	return func(yield func(*tracefs.Event, error) bool) {
		for e, err := range events {
			if err == nil && p.learned(e) && drop && e.Lost == 0 {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// learned reports whether e is about a new task, which it then learns about.
func (p *processes) learned(e *tracefs.Event) bool {
	tid, thread, ok := p.newTasks.started(e)
	if !ok {
		return false
	}
	pid := tid
	if thread {
		pid = p.find(e.TID)
	}
	p.of[tid] = pid
	return true
}

// addThreads notes the further threads of each process that lives now.
func (t *Trace) addThreads() {
	if t.threads == nil {
		t.threads = map[int][]int{}
	}
	if !tracefs.InitPIDNamespace() {
		return
	}
	for _, process := range proc.Processes() {
		tids, err := proc.Threads(process.PID)
		if err != nil {
			continue // it has ended
		}
		all := append(t.threads[process.PID], slices.DeleteFunc(tids, func(tid int) bool { return tid == process.PID })...)
		slices.Sort(all)
		t.threads[process.PID] = slices.Compact(all)
	}
}

// recordedProcesses knows the processes that addThreads has noted.
func recordedProcesses(threads map[int][]int) *processes {
	p := &processes{of: map[int]int{0: 0}, foreign: true}
	for pid, tids := range threads {
		p.of[pid] = pid
		for _, tid := range tids {
			p.of[tid] = pid
		}
	}
	return p
}

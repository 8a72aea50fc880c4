package tracefs

import (
	"maps"
	"os"
	"slices"
)

// The lists of threads of an instance.
const (
	tracedList = "set_event_pid"
	keptOut    = "set_event_notrace_pid"
)

// A ThreadList is the current state of a session's list of threads.
type ThreadList struct {
	File    string // absolute path of the list
	Lacks   []int  // threads that should be in it but are not
	Others  []int  // threads that are in it but should not be
	Emptied bool   // the list is empty
}

// KeepsSelfOut reports whether the session has put this process's own threads into
// set_event_notrace_pid.
func (s *Session) KeepsSelfOut() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.selfOut
}

// ThreadList reads a list, "set_event_pid" or "set_event_notrace_pid". want returns the
// threads that live and should be in it. They are asked for before and after, since
// threads start and end meanwhile.
func (s *Session) ThreadList(name string, want func() ([]int, error)) (ThreadList, error) {
	l := ThreadList{File: s.absolute(s.path(name))}
	before, err := want()
	if err != nil {
		return l, err
	}
	listed, err := read(s.fs, s.path(name), parseThreads)
	if err != nil {
		return l, err
	}
	after, err := want()
	if err != nil {
		return l, err
	}
	l.Emptied = len(listed) == 0
	for _, tid := range before {
		if !listed[tid] {
			l.Lacks = append(l.Lacks, tid)
		}
		delete(listed, tid)
	}
	for _, tid := range after {
		delete(listed, tid)
	}
	l.Others = slices.Sorted(maps.Keys(listed))
	return l, nil
}

// RestoreThreads makes a list as it was: l is its state, want is that of ThreadList. The kernel
// takes no thread from a list, so others are removed by emptying it. Until it is complete
// again, more is traced than should be. Calls on this CPU while the kernel empties the list of
// those kept out are missed, since this process is one of them (kernel/trace/trace_events.c,
// __ftrace_clear_event_pids).
func (s *Session) RestoreThreads(name string, l ThreadList, want func() ([]int, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || !s.enabled || s.stopped {
		return ErrClosed
	}
	if len(l.Others) > 0 {
		if err := s.clearThreads(name); err != nil {
			return err
		}
	}
	if name == keptOut {
		if !s.selfOut {
			return nil
		}
		return s.ignoreSelf()
	}
	return s.completeThreads(want)
}

// clearThreads empties a list by opening it with O_TRUNC.
func (s *Session) clearThreads(name string) error {
	s.log("echo > %s", s.path(name))
	f, err := s.fs.root.open(s.path(name), os.O_WRONLY|os.O_TRUNC)
	if err != nil {
		return err
	}
	return f.Close()
}

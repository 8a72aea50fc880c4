package tracefs

import (
	"os"
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
	Emptied bool   // the list is empty
}

// KeepsSelfOut reports whether the session has put this process's own threads into
// set_event_notrace_pid.
func (s *Session) KeepsSelfOut() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.selfOut
}

// ThreadList reads a list, "set_event_pid" or "set_event_notrace_pid". want has the
// threads that live and should be in it.
func (s *Session) ThreadList(name string, want []int) (ThreadList, error) {
	l := ThreadList{File: s.absolute(s.path(name))}
	listed, err := read(s.fs, s.path(name), parseThreads)
	for _, tid := range want {
		if !listed[tid] {
			l.Lacks = append(l.Lacks, tid)
		}
	}
	l.Emptied = len(listed) == 0
	return l, err
}

// RestoreThreads writes the session's list of threads again. Nothing is recorded
// meanwhile, since without a list everything would be.
func (s *Session) RestoreThreads(name string, want []int) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || !s.enabled || s.stopped {
		return ErrClosed
	}
	if err := s.set(s.path("tracing_on"), "0"); err != nil {
		return err
	}
	defer func() {
		if e := s.set(s.path("tracing_on"), "1"); err == nil {
			err = e
		}
	}()
	if err := s.clearThreads(name); err != nil {
		return err
	}
	if name == keptOut {
		return s.ignoreSelf()
	}
	return s.addThreads(name, want)
}

// clearThreads empties a list by opening it with O_TRUNC.
func (s *Session) clearThreads(name string) error {
	s.log("echo > %s", s.path(name))
	f, err := s.fs.root.OpenFile(s.path(name), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

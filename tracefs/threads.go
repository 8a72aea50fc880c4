package tracefs

import (
	"io"
	"slices"
	"strconv"
	"strings"
)

// NewTaskEvent is the event of a task that starts another one, a thread or a process:
// include/trace/events/task.h. The new task has not made a system call yet.
const NewTaskEvent = "task/task_newtask"

const newTask = "events/" + NewTaskEvent + "/"

// CloneThread is set in the field clone_flags of the event that NewTaskFormat describes
// if the new task is a thread (include/uapi/linux/sched.h).
const CloneThread = 0x10000

// NewTaskFormat returns the format of the records of Options.NewTasks.
func (s *Session) NewTaskFormat() (*Format, error) {
	f, err := read(s.fs, s.path(newTask+"format"), ParseFormat)
	if err != nil {
		return nil, err
	}
	f.Group = "task"
	return f, nil
}

// HasNewTasks reports whether Options.NewTasks can be used.
func (fs *FS) HasNewTasks() bool { return fs.Exists(newTask + "format") }

func (s *Session) recordNewTasks() error {
	if err := s.set(s.path(newTask+"enable"), "1"); err != nil {
		return err
	}
	s.expectNewTasks()
	return nil
}

// expectNewTasks notes what decides whether new tasks are recorded. Without their events
// a new thread cannot be distinguished from a child process, and its calls are not
// shown.
func (s *Session) expectNewTasks() {
	s.expectFile(setting{what: "the event of new tasks", file: s.path(newTask + "enable"),
		read: func(text string) string { return strings.TrimRight(text, "*\n") }}) // 1* has a trigger
	filter := s.path(newTask + "filter")
	s.expectFile(setting{what: "the filter of new tasks", file: filter,
		restore: func() error { return s.set(filter, "0") }})
}

// recordsNewTasks reports whether the session records an event for every new task.
func (s *Session) recordsNewTasks() bool {
	return slices.ContainsFunc(s.expected.settings, func(g setting) bool { return g.file == s.path(newTask+"enable") })
}

// traceThreads writes the list of the threads to trace.
func (s *Session) traceThreads(o Options) error {
	if err := s.addThreads(tracedList, o.Pids); err != nil {
		return err
	}
	if o.NewTasks {
		if err := s.recordNewTasks(); err != nil {
			return err
		}
	}
	if o.ThreadsNow == nil {
		return nil
	}
	return s.completeThreads(o.ThreadsNow)
}

// completeThreads adds the threads that want returns to the list of those to trace. With
// event-fork the kernel adds threads that start meanwhile, but it loses one if a write
// is under way, since a write copies the list first. So completeThreads reads the list
// back, and repeats until it is complete.
func (s *Session) completeThreads(want func() ([]int, error)) error {
	// The list is never complete if threads start faster than this. A listing of
	// threads may stop early at a thread that ends meanwhile (fs/proc/base.c,
	// next_tid), so it is repeated.
	quiet := 0
	for round := 0; round < 100 && quiet < 3; round++ {
		tids, err := want()
		if err != nil {
			return err
		}
		listed, err := read(s.fs, s.path(tracedList), parseThreads)
		if err != nil {
			return err
		}
		tids = slices.DeleteFunc(tids, func(tid int) bool { return listed[tid] })
		if len(tids) == 0 {
			quiet++
			continue
		}
		quiet = 0
		if err := s.addThreads(tracedList, tids); err != nil {
			return err
		}
	}
	return nil
}

// parseThreads parses set_event_pid: one number per line.
func parseThreads(r io.Reader) (map[int]bool, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	tids := map[int]bool{}
	for word := range strings.FieldsSeq(string(b)) {
		if tid, err := strconv.Atoi(word); err == nil {
			tids[tid] = true
		}
	}
	return tids, nil
}

// Listed returns the threads that the kernel traces, if not all are. With Options.Follow it
// adds those that they start, and removes one some time after it has ended.
func (s *Session) Listed() (map[int]bool, error) {
	return read(s.fs, s.path(tracedList), parseThreads)
}

package tracefs

import (
	"path"
	"strings"
)

// Where the kernel has an event for each system call that has a number, if it is
// built with CONFIG_FTRACE_SYSCALLS (kernel/trace/trace_syscalls.c).
const syscallEvents = "events/syscalls"

const syscallEnter = "sys_enter_"

// Syscalls are the names of the system calls that have events, "openat": none where
// the kernel has no such events.
func (fs *FS) Syscalls() []string {
	var names []string
	for _, dir := range fs.Glob(path.Join(syscallEvents, syscallEnter+"*")) {
		names = append(names, strings.TrimPrefix(path.Base(dir), syscallEnter))
	}
	return names
}

// SyscallFields are the parameters of a system call as its event has them: their
// names and C types, without __user. The event also tells, since 7.0, what some of
// them point to, which are no parameters. False if there is no such event.
func (fs *FS) SyscallFields(name string) ([]FormatField, bool) {
	f, err := read(fs, path.Join(syscallEvents, syscallEnter+name, "format"), ParseFormat)
	if err != nil {
		return nil, false
	}
	var fields []FormatField
	for _, field := range f.Fields {
		if !strings.HasPrefix(field.Name, "common_") && !strings.HasPrefix(field.Name, "__") {
			fields = append(fields, field)
		}
	}
	return fields, true
}

// SyscallReads are the parameters of a system call whose texts its event has, too,
// read where the kernel may wait for a page (7.0). None where there is no such event.
func (fs *FS) SyscallReads(name string) []string {
	f, err := read(fs, path.Join(syscallEvents, syscallEnter+name, "format"), ParseFormat)
	if err != nil {
		return nil
	}
	var names []string
	for _, field := range f.Fields {
		if param, ok := strings.CutPrefix(field.Name, "__"); ok && strings.HasSuffix(param, "_val") {
			names = append(names, strings.TrimSuffix(param, "_val"))
		}
	}
	return names
}

// neverSyscall is a filter for the events of system calls that lets none through.
const neverSyscall = "__syscall_nr == -1"

// BringIn has the kernel read, before each of these system calls begins, the texts
// that its event would have: so they are in memory when the function's probe looks for
// them. The events themselves are filtered out, and leave nothing in the buffers.
func (s *Session) BringIn(syscalls []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if len(syscalls) == 0 {
		return nil
	}
	// How many bytes it reads of each; what is too much it cuts to the most (165).
	if size := s.path("syscall_user_buf_size"); s.fs.Exists(size) {
		if err := s.set(size, "4096"); err != nil {
			s.log("%v", err)
		}
	}
	dir := s.path(syscallEvents)
	s.undo.push("disable the events of system calls", func() error { return s.set(path.Join(dir, "enable"), "0") })
	for _, name := range syscalls {
		event := path.Join(dir, syscallEnter+name)
		if err := s.set(path.Join(event, "filter"), neverSyscall); err != nil {
			return err
		}
		if err := s.set(path.Join(event, "enable"), "1"); err != nil {
			return err
		}
	}
	return nil
}

package tracefs

import (
	"path"
	"slices"
	"strings"
)

// syscallEvents has an event for each system call that has a number, if the kernel was
// built with CONFIG_FTRACE_SYSCALLS (kernel/trace/trace_syscalls.c).
const syscallEvents = "events/syscalls"

const syscallEnter = "sys_enter_"

// Syscalls returns the names of the system calls that have events, such as "openat".
// There are none if the kernel has no such events.
func (fs *FS) Syscalls() []string {
	var names []string
	for _, dir := range fs.Glob(path.Join(syscallEvents, syscallEnter+"*")) {
		names = append(names, strings.TrimPrefix(path.Base(dir), syscallEnter))
	}
	return names
}

// SyscallFields returns the parameters of a system call as its event has them: their
// names and C types, without __user. Since 7.0 the event also has what some parameters
// point to; those fields are left out. It returns false if there is no such event.
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

// SyscallReads returns the parameters of a system call whose strings its event
// includes. The kernel reads them where it may wait for a page (7.0). There are none if
// the system call has no event.
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

// neverSyscall is a filter for the events of system calls that matches nothing.
const neverSyscall = "__syscall_nr == -1"

// Prefault makes the kernel read, before each of these system calls begins, the strings
// that its event includes, so that they are in memory when the function's probe reads
// them. The events themselves are filtered out, and leave nothing in the buffers.
func (s *Session) Prefault(syscalls []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if len(syscalls) == 0 {
		return nil
	}
	// The limit of bytes to read from each string; the kernel reduces it to its maximum
	// (165).
	if size := s.path("syscall_user_buf_size"); s.fs.Exists(size) {
		if err := s.set(size, "4096"); err != nil {
			s.log("%v", err)
		}
	}
	dir := s.path(syscallEvents)
	s.undo.push("disable the events of system calls", func() error { return s.set(path.Join(dir, "enable"), "0") })
	for _, name := range syscalls {
		if slices.Contains(s.events, "syscalls/"+syscallEnter+name) {
			continue // it is traced itself, with its own filter
		}
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

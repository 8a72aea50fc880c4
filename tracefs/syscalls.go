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

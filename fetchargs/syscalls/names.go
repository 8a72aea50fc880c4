package syscalls

import "strings"

// Compat precedes the name of a system call when 32-bit programs call it.
const Compat = "compat_"

// NamesOf splits the name of a plan's function: "compat_sys_openat" becomes
// "sys_openat" and "openat". Both are "" if it is not a system call.
func NamesOf(fn string) (name, short string) {
	name = strings.TrimPrefix(fn, Compat)
	if short, ok := strings.CutPrefix(name, "sys_"); ok {
		return name, short
	}
	return "", ""
}

// Module can precede the name of a system call, like a module.
const Module = "syscall"

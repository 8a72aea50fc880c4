// Package tracefs works with the kernel's tracing directory. It finds the mount,
// detects what the kernel offers, and runs an instance with a group of kprobe events;
// the packages below it read the events back.
//
// Everything it makes is named tsnoop_<pid>. Session.Close undoes it, and FS.Clean
// removes what a killed run left behind. The package never writes to the top level's
// tracing_on, events or buffers, which belong to everybody.
//
// See Documentation/trace/ftrace.rst, kprobetrace.rst and events.rst.
package tracefs

// Package tracefs works with the kernel's tracing directory: it finds the
// mount, tells what the kernel offers, runs one instance with one group of
// kprobe events, and reads the events back.
//
// Everything it makes is named tsnoop_<pid> and is undone by Session.Close;
// what a killed run left behind is removed by FS.Clean. It never writes to the
// top level's tracing_on, events or buffers, which belong to everybody.
//
// See Documentation/trace/ftrace.rst, kprobetrace.rst and events.rst.
package tracefs

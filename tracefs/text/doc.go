// Package text turns the text of trace_pipe into the events that a binary reader
// would give.
//
// Text tells less than the ring buffer: times are in µs, a task's name has at most 15
// bytes and may be missing ("<...>"), and of functions it has names where the record
// has addresses. A string behind a pointer that faults prints as "(fault)" on some
// kernels and as the string after it on others. The kernel escapes nothing, so no line
// is trusted.
//
// See Documentation/trace/ftrace.rst, "The File System" and "Output format".
package text

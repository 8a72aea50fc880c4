// Package text turns the text of trace_pipe, read live or pasted, into the events that a
// binary reader would return.
//
// Text says less than the ring buffer. Times are in µs, a task's name has at most 15
// bytes and may be missing ("<...>"), and functions are shown by name where the record
// has their addresses. A string whose pointer faults is printed as "(fault)" by some
// kernels and as the next string by others. The kernel escapes nothing, so no line is
// trusted.
//
// See Documentation/trace/ftrace.rst, "The File System" and "Output format".
package text

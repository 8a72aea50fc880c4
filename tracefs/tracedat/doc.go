// Package tracedat reads and writes trace.dat files, the format of trace-cmd:
// versions 6 and 7, plain or compressed with zstd or zlib.
//
// It knows nothing of what is in the events: it gives the pages of the ring
// buffer as bytes, and the kernel's texts that explain them.
//
// A file may come from anywhere. Every length in it is checked against the
// file's size and against a bound, so that no file, however damaged, makes the
// package panic or take much more memory than the texts and one chunk of pages
// per CPU need. What is left of a damaged file is given together with
// [File.Damage].
//
// See trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5) and, for what these do not
// say, lib/trace-cmd/trace-input.c and trace-output.c of trace-cmd. What is said
// here of trace-cmd 3.1.6 was tried with Debian's.
package tracedat

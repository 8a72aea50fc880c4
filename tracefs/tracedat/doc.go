// Package tracedat reads and writes trace.dat files, the format of trace-cmd: versions
// 6 and 7, plain or compressed with zstd or zlib.
//
// It does not decode events: it returns the pages of the ring buffer as bytes, and the
// kernel's texts that describe them.
//
// A file may come from anywhere. Every length in it is checked against the file's size
// and against a limit. No file, however damaged, makes the package panic, or use much
// more memory than the texts and one chunk of pages for each CPU need. The readable
// rest of a damaged file is returned together with [File.Damage].
//
// See trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5), and for what they leave out,
// lib/trace-cmd/trace-input.c and trace-output.c of trace-cmd. Statements about
// trace-cmd 3.1.6 were checked with Debian's.
package tracedat

package tracedat

import (
	"encoding/binary"
	"io"
	"math/bits"
)

// A File holds everything in a trace.dat file except the pages.
type File struct {
	Version     int // version of the format: 6 or 7
	BigEndian   bool
	LongSize    int    // size of the kernel's long in bytes: 4 or 8
	PageSize    int    // size of a sub-buffer of the top-level buffer in bytes
	HeaderPage  string // events/header_page
	HeaderEvent string // events/header_event
	Events      []EventText
	Printk      []byte         // printk_formats, may be empty
	Cmdlines    map[int]string // TID to comm, as in saved_cmdlines
	Clock       string         // trace_clock of the top-level buffer, "" if not known
	Compression string         // "none", "zstd" or "zlib"
	CPUCount    int            // CPUs of the machine, 0 if not known
	CPUStats    []string       // per_cpu/cpuN/stats of the CPUs; each begins with "CPU: N"
	Uname       string         // system, node, release and machine, "" if not known
	Recorder    string         // version of the recording program, "" if not known
	TraceID     uint64         // ID of the recording, 0 if not known
	Tsnoop      []byte         // what tsnoop stored for itself, nil if there is none
	Latency     bool           // the file has a latency tracer's text instead of pages
	TimeOffset  int64          // ns to add to each time stamp: options DATE and OFFSET
	TSC         TSCToNS        // conversion for the clock x86-tsc
	// TimeShift says that the file was recorded in a guest. trace-cmd report converts
	// its times to those of the host; Time does not.
	TimeShift bool
	// Buffers holds the top-level buffer, named "", if there is one, followed by the
	// instances.
	Buffers []Buffer
	// Damage is nil, or an *Error about the first place where the file is cut off or
	// damaged. The other fields hold only what is intact.
	Damage error

	r     io.ReaderAt
	size  int64
	order binary.ByteOrder

	readSize int64 // how much of a CPU's data to read at a time, in bytes
	keepSize int64 // how much of a chunk a reader keeps, in bytes; 0 for all
	chunks   quota // bytes of decompressed chunks of pages
	memory   *Memory

	kallsyms func() ([]byte, error)
}

// Kallsyms reads the recorded /proc/kallsyms, which may be empty. It is most of what
// Open would read, and not always needed. An error is an *Error.
func (f *File) Kallsyms() ([]byte, error) {
	if f.kallsyms == nil {
		return nil, nil
	}
	return f.kallsyms()
}

// An EventText is the format file of an event.
type EventText struct {
	System string // "ftrace" for events that are not trace events
	Text   string
}

// A TSCToNS says how to convert ticks of the clock x86-tsc to nanoseconds: ticks * Mult
// >> Shift. Mult is 0 if they cannot be converted. Offset, in ns, is stored by
// trace-cmd record but not used by trace-cmd report.
type TSCToNS struct {
	Mult, Shift uint32
	Offset      uint64
}

// A Buffer holds what was recorded of the top-level buffer or of an instance.
type Buffer struct {
	Name     string // "" for the top-level buffer
	Clock    string // trace_clock, "" if not known
	PageSize int    // size of a sub-buffer in bytes
	CPUs     []CPU

	offset int64 // offset of its section (version 7) or its table of CPUs (version 6)
}

// A CPU holds what was recorded of one CPU's buffer.
type CPU struct {
	ID         int
	Size       int64 // size of the pages in the file in bytes, compressed or not
	Compressed bool

	file     *File
	offset   int64
	pageSize int
	sums     sumSpan
}

// Time converts the time stamp ts of an event as trace-cmd report does. The result is
// in nanoseconds if Nanoseconds returns true. trace-cmd 3.1.6 gets it wrong if TSC.Mult
// does not fit in 31 bits.
func (f *File) Time(ts uint64) uint64 {
	if f.TSC.Mult != 0 {
		hi, lo := bits.Mul64(ts, uint64(f.TSC.Mult))
		shift := f.TSC.Shift
		// In Go a shift by 64 or more yields 0.
		ts = lo>>shift | hi<<(64-shift) | hi>>(shift-64)
	}
	return ts + uint64(f.TimeOffset)
}

// Nanoseconds reports whether times are in nanoseconds. That is so for all clocks
// except counter, x86-tsc and the like. trace-cmd report prints the plain number for
// those, and for boot, which it does not know.
func (f *File) Nanoseconds() bool {
	if f.TSC.Mult != 0 {
		return true
	}
	switch f.Clock {
	case "", "local", "global", "uptime", "perf", "mono", "mono_raw", "boot", "tai", "tsc2nsec":
		return true
	}
	return false
}

// damaged keeps the first error.
func (f *File) damaged(err error) {
	if err != nil && f.Damage == nil {
		f.Damage = err
	}
}

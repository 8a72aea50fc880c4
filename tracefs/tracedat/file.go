package tracedat

import (
	"encoding/binary"
	"io"
	"math/bits"
)

// A File is what a trace.dat file says, except the pages.
type File struct {
	Version     int // of the format: 6 or 7
	BigEndian   bool
	LongSize    int    // bytes of the kernel's long: 4 or 8
	PageSize    int    // bytes of a sub-buffer of the top-level buffer
	HeaderPage  string // events/header_page
	HeaderEvent string // events/header_event
	Events      []EventText
	Printk      []byte         // printk_formats, may be empty
	Cmdlines    map[int]string // TID to comm, as saved_cmdlines had them
	Clock       string         // trace_clock of the top-level buffer, "" if not told
	Compression string         // "none", "zstd" or "zlib"
	CPUCount    int            // CPUs of the machine, 0 if not told
	CPUStats    []string       // per_cpu/cpuN/stats of the CPUs, each begins with "CPU: N"
	Uname       string         // system, node, release and machine, "" if not told
	Recorder    string         // version of the program that recorded, "" if not told
	TraceID     uint64         // of the recording, 0 if not told
	Tsnoop      []byte         // what tsnoop wrote for itself, nil if there is none
	Latency     bool           // a latency tracer's text was recorded instead of pages
	TimeOffset  int64          // ns to be added to each time stamp: options DATE and OFFSET
	TSC         TSCToNS        // of the clock x86-tsc
	// TimeShift says that this is the file of a guest, whose times trace-cmd
	// report moves to those of its host. Time does not.
	TimeShift bool
	// Buffers are the top-level buffer, named "", if there is one, and then
	// the instances.
	Buffers []Buffer
	// Damage is not nil if the file is cut off or damaged, and says what at
	// which byte: the first such place. It is an *Error. What is given in the
	// other fields is whole.
	Damage error

	r     io.ReaderAt
	size  int64
	order binary.ByteOrder

	readSize int64 // how much is read of a CPU's data at a time, in bytes

	kallsyms func() ([]byte, error)
}

// Kallsyms reads what /proc/kallsyms had, which may be nothing. It is most of
// what Open would read, and not always needed. An error is an *Error.
func (f *File) Kallsyms() ([]byte, error) {
	if f.kallsyms == nil {
		return nil, nil
	}
	return f.kallsyms()
}

// An EventText is the format file of an event.
type EventText struct {
	System string // "ftrace" for those that are not trace events
	Text   string
}

// A TSCToNS is how ticks of the clock x86-tsc become nanoseconds:
// ticks * Mult >> Shift. Mult is 0 if they do not. Offset, in ns, is stored by
// trace-cmd record but not used by trace-cmd report.
type TSCToNS struct {
	Mult, Shift uint32
	Offset      uint64
}

// A Buffer is what was recorded of the top-level buffer or of an instance.
type Buffer struct {
	Name     string // "" for the top-level buffer
	Clock    string // trace_clock, "" if not told
	PageSize int    // bytes of a sub-buffer
	CPUs     []CPU

	offset int64 // of its section (version 7) or its table of CPUs (6)
}

// A CPU is what was recorded of one CPU's buffer.
type CPU struct {
	ID         int
	Size       int64 // bytes of the pages in the file, as they are there
	Compressed bool

	file     *File
	offset   int64
	pageSize int
}

// Time returns the time stamp ts of an event as trace-cmd report shows it: in
// nanoseconds, if Nanoseconds says so. trace-cmd 3.1.6 gets it wrong if
// TSC.Mult does not fit in 31 bits.
func (f *File) Time(ts uint64) uint64 {
	if f.TSC.Mult != 0 {
		hi, lo := bits.Mul64(ts, uint64(f.TSC.Mult))
		shift := f.TSC.Shift
		// A shift by 64 and more gives 0 in Go.
		ts = lo>>shift | hi<<(64-shift) | hi>>(shift-64)
	}
	return ts + uint64(f.TimeOffset)
}

// Nanoseconds reports whether times are in nanoseconds, as those of all clocks
// but counter, x86-tsc and their like. trace-cmd report prints the bare number
// for these, and for boot, which it does not know.
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

// damaged keeps the first damage.
func (f *File) damaged(err error) {
	if err != nil && f.Damage == nil {
		f.Damage = err
	}
}

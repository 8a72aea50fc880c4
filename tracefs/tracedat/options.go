package tracedat

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// Options. In version 7 most are also IDs of the sections that they point to. See enum
// tracecmd_option in trace-cmd's trace-cmd-private.h.
const (
	optDone       = 0 // also a section of options
	optDate       = 1
	optCPUStat    = 2
	optBuffer     = 3 // also a section of pages
	optTraceClock = 4
	optUname      = 5
	optOffset     = 7
	optCPUCount   = 8
	optVersion    = 9
	optTraceID    = 11
	optTimeShift  = 12
	optTSCToNS    = 14
	optStrings    = 15 // only a section
	optHeaders    = 16
	optFtrace     = 17
	optEvents     = 18
	optKallsyms   = 19
	optPrintk     = 20
	optCmdlines   = 21
	optBufferText = 22
)

// readOption stores the data of one option. It skips options that are not known or too
// short, as trace-cmd does.
func (o *opener) readOption(id uint16, data []byte, at int64) {
	order := o.order
	switch id {
	case optDate:
		o.TimeOffset += parseNumber(data) * 1000 // µs
	case optOffset:
		o.TimeOffset += parseNumber(data)
	case optCPUStat:
		o.CPUStats = append(o.CPUStats, cString(data))
	case optTraceClock:
		o.Clock = currentClock(data)
	case optUname:
		o.Uname = cString(data)
	case optVersion:
		o.Recorder = cString(data)
	case optTimeShift:
		o.TimeShift = true
	case optBufferText:
		o.Latency = true
	case optBuffer:
		o.readBufferOption(data, at)
	case optSums:
		o.readSums(data, at)
	case optTsnoop:
		if rest, ok := bytes.CutPrefix(data, []byte(tsnoopMagic)); ok {
			o.Tsnoop = rest
		}
	}
	switch {
	case id == optCPUCount && len(data) >= 4:
		// A version 6 file's tables of CPUs have this many entries.
		o.cpus = int(int32(order.Uint32(data)))
		o.CPUCount = o.cpus
	case len(data) < 8:
	case id == optTraceID:
		o.TraceID = order.Uint64(data)
	case id >= optHeaders && id <= optCmdlines && o.sections != nil:
		o.sections[id] = int64(order.Uint64(data))
	case id == optTSCToNS && len(data) >= 16:
		o.TSC = TSCToNS{order.Uint32(data), order.Uint32(data[4:]), order.Uint64(data[8:])}
	}
}

// tableSize checks the number of entries in a table of CPUs.
func (o *opener) tableSize(s *source, n int) int {
	if !s.within(uint64(uint32(n)), "CPUs", maxCPUs) || !s.within(uint64(o.table+n), "CPUs in all tables", maxTables) {
		return 0
	}
	o.table += n
	return n
}

// readBufferOption reads the option BUFFER. In version 6 it has an instance's name and
// the offset of its marker and table, like those that follow the options of the
// top-level buffer. In version 7 it has the table itself.
func (o *opener) readBufferOption(data []byte, at int64) {
	s := &source{r: bytes.NewReader(data), end: int64(len(data)), order: o.order, what: "option BUFFER", short: ErrDamaged, budget: &o.budget, base: at, packed: true}
	b := Buffer{offset: int64(s.u64()), Name: s.name()}
	if o.Version == 7 {
		b.Clock = s.name()
		b.PageSize = int(int32(s.u32()))
		if s.err == nil && !validPage(b.PageSize) {
			s.fail(ErrDamaged)
		}
		for n := o.tableSize(s, int(int32(s.u32()))); n > 0 && s.err == nil; n-- {
			c := CPU{ID: int(int32(s.u32())), offset: int64(s.u64()), Size: int64(s.u64())}
			if s.err == nil && c.ID >= 0 && c.ID < maxCPUs && c.sound() {
				b.CPUs = append(b.CPUs, c)
			} else {
				s.fail(ErrDamaged)
			}
		}
	}
	o.damaged(s.err)
	if s.err == nil || len(b.CPUs) > 0 {
		o.add(b)
	}
}

// sound reports whether the CPU's data is at an offset that a file can have.
func (c *CPU) sound() bool {
	const far = 1 << 60
	return c.offset >= 0 && c.offset < far && c.Size >= 0 && c.Size < far
}

// currentClock returns the clock in brackets: "local" of "[local] global counter".
func currentClock(text []byte) string {
	_, rest, _ := strings.Cut(cString(text), "[")
	clock, _, ok := strings.Cut(rest, "]")
	if !ok {
		return ""
	}
	return strings.TrimSpace(clock)
}

// parseNumber does what strtoll(text, NULL, 0) does, which also accepts a number that
// is followed by something else.
func parseNumber(text []byte) int64 {
	s := strings.TrimSpace(cString(text[:min(len(text), 32)]))
	for len(s) > 0 {
		if n, err := strconv.ParseInt(s, 0, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return n
		}
		s = s[:len(s)-1]
	}
	return 0
}

// cString returns what is before the first NUL.
func cString(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// tsnoop stores its own data in an option with an ID that trace-cmd, which counts them
// from 1, will not reach. trace-cmd 3.1.6 skips it: report does so silently, unless
// --verbose=warning is given; convert keeps it and, like split, prints "unknown option
// 29811". In case somebody else has the same idea, the data begins with tsnoopMagic.
const (
	optTsnoop   = 0x7473 // "ts"
	tsnoopMagic = "TSN\x01"
)

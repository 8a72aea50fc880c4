package tracefs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// CPUStats holds what per_cpu/cpuN/stats says about one CPU's buffer.
type CPUStats struct {
	CPU           int
	Entries       uint64 // events in the buffer now
	Overrun       uint64 // events overwritten before they were read
	CommitOverrun uint64
	Bytes         uint64 // bytes in the buffer now
	Dropped       uint64 // events not written because the buffer was full (nooverwrite)
	Read          uint64 // events read

	// Skipped is how many events the kernel's reader has skipped but still counts as in
	// the buffer. The kernel's file does not have it: see FinalStats.
	Skipped uint64
}

// Stats returns the statistics of the session's buffers, by CPU.
func (s *Session) Stats() ([]CPUStats, error) {
	dirs, err := s.fs.names(s.path("per_cpu"))
	if err != nil {
		return nil, err
	}
	var all []CPUStats
	for _, d := range dirs {
		cpu, err := strconv.Atoi(strings.TrimPrefix(d, "cpu"))
		if err != nil {
			continue
		}
		st, err := read(s.fs, s.path("per_cpu/"+d+"/stats"), ParseCPUStats)
		if err != nil {
			return nil, err
		}
		st.CPU = cpu
		all = append(all, st)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].CPU < all[j].CPU })
	return all, nil
}

// FinalStats returns the statistics after tracing has stopped and everything was read.
// If the kernel counts events in a buffer from which nothing can be read, they will
// never be read: FinalStats counts them as Skipped.
//
// When the page that is being written has been read up to its end, rb_get_reader_page
// asks first whether there is more on it and then whether it is still being written. If
// its CPU is stopped in between, as CPUs of virtual machines are, the writer may fill
// the page and go on to the next one. The reader then also does so, and no count of
// lost events includes what was added. Seen from 5.10 to 7.3.
func (s *Session) FinalStats() ([]CPUStats, error) {
	all, err := s.Stats()
	for i := range all {
		st := &all[i]
		if st.Entries == 0 {
			continue
		}
		empty, e := s.nothingIn(st.CPU)
		if e != nil {
			return nil, e
		}
		if empty {
			st.Entries, st.Skipped = 0, st.Entries
		}
	}
	return all, err
}

// nothingIn reports whether nothing can be read from a CPU's buffer. If there is a
// page, it is taken.
func (s *Session) nothingIn(cpu int) (bool, error) {
	_, size, err := s.PageLayout()
	if err != nil {
		return false, err
	}
	f, err := s.OpenUnpolledPipe("per_cpu/cpu" + strconv.Itoa(cpu) + "/trace_pipe_raw")
	if err != nil {
		return false, err
	}
	defer f.Close()
	_, err = f.Read(make([]byte, size))
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, io.EOF) {
		return true, nil
	}
	return false, err
}

// skippedKey is the key of CPUStats.Skipped in a recording, after the kernel's lines.
const skippedKey = "skipped events"

// StatsText returns the kernel's text of one CPU's statistics, and what FinalStats
// adds.
func (s *Session) StatsText(st *CPUStats) (string, error) {
	b, err := s.fs.ReadValue(s.path("per_cpu/cpu" + strconv.Itoa(st.CPU) + "/stats"))
	if err == nil && st.Skipped > 0 {
		b = fmt.Appendf(b, "%s: %d\n", skippedKey, st.Skipped)
	}
	return string(b), err
}

// ParseCPUStats parses per_cpu/cpuN/stats, which does not name the CPU, or a text of
// StatsText. It skips lines that it does not know.
//
// See Documentation/trace/ftrace.rst, "per_cpu/cpu0/stats".
func ParseCPUStats(r io.Reader) (CPUStats, error) {
	var st CPUStats
	sc := bufio.NewScanner(r)
	line := 0
	for sc.Scan() {
		line++
		key, val, ok := strings.Cut(sc.Text(), ": ")
		if !ok {
			continue
		}
		var to *uint64
		switch key {
		case "entries":
			to = &st.Entries
		case "overrun":
			to = &st.Overrun
		case "commit overrun":
			to = &st.CommitOverrun
		case "bytes":
			to = &st.Bytes
		case "dropped events":
			to = &st.Dropped
		case "read events":
			to = &st.Read
		case skippedKey:
			to = &st.Skipped
		default:
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(val), 10, 64)
		if err != nil {
			return st, atLine(line, fmt.Errorf("%s: %w", key, err))
		}
		*to = n
	}
	return st, sc.Err()
}

// Lost returns how many events were recorded, or should have been, but can never be
// read.
func (s *CPUStats) Lost() uint64 { return s.Overrun + s.CommitOverrun + s.Dropped + s.Skipped }

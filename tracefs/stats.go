package tracefs

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// CPUStats is what per_cpu/cpuN/stats tells of one CPU's buffer.
type CPUStats struct {
	CPU           int
	Entries       uint64 // events in the buffer now
	Overrun       uint64 // events overwritten before they were read
	CommitOverrun uint64
	Bytes         uint64 // in the buffer now
	Dropped       uint64 // events not written, the buffer being full (nooverwrite)
	Read          uint64 // events read
}

// Stats returns the figures of the session's buffers, by CPU.
func (s *Session) Stats() ([]CPUStats, error) {
	dirs, err := fs.ReadDir(s.fs.root.FS(), s.path("per_cpu"))
	if err != nil {
		return nil, err
	}
	var all []CPUStats
	for _, d := range dirs {
		cpu, err := strconv.Atoi(strings.TrimPrefix(d.Name(), "cpu"))
		if err != nil {
			continue
		}
		st, err := read(s.fs, s.path("per_cpu/"+d.Name()+"/stats"), ParseCPUStats)
		if err != nil {
			return nil, err
		}
		st.CPU = cpu
		all = append(all, st)
	}
	slices.SortFunc(all, func(a, b CPUStats) int { return a.CPU - b.CPU })
	return all, nil
}

// ParseCPUStats parses per_cpu/cpuN/stats, which does not name the CPU. Lines
// it does not know are skipped.
//
// See Documentation/trace/ftrace.rst, "per_cpu/cpu0/stats".
func ParseCPUStats(r io.Reader) (CPUStats, error) {
	var st CPUStats
	sc := bufio.NewScanner(r)
	for sc.Scan() {
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
		default:
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(val), 10, 64)
		if err != nil {
			return st, fmt.Errorf("%s: %w", key, err)
		}
		*to = n
	}
	return st, sc.Err()
}

// Lost is how many events were recorded, or should have been, but can never be
// read.
func (s *CPUStats) Lost() uint64 { return s.Overrun + s.CommitOverrun + s.Dropped }

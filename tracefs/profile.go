package tracefs

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Hits is how often an event's probe was hit, filtered out or not, and how often it
// could not run (Misses): a return probe without a free instance, or a probe inside
// another probe. On x86 before 5.14 every fetch that faults is counted as a miss of all
// probes at that address, although its event is recorded.
type Hits = struct{ Hits, Misses uint64 }

// Profile returns the hits of the session's events, by name. The kernel's file does not
// name groups, so nobody else may use the same event names.
func (s *Session) Profile() (map[string]Hits, error) {
	all, err := read(s.fs, "kprobe_profile", ParseProfile)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range all {
		if !slices.Contains(s.events, name) {
			delete(all, name)
		}
	}
	return all, nil
}

// ParseProfile parses kprobe_profile, "  EVENT HITS MISSES". It adds up the figures of
// probes with the same name.
//
// See Documentation/trace/kprobetrace.rst, "Event Profiling".
func ParseProfile(r io.Reader) (map[string]Hits, error) {
	all := make(map[string]Hits)
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		f := strings.Fields(sc.Text())
		if len(f) != 3 {
			continue
		}
		hits, err1 := strconv.ParseUint(f[1], 10, 64)
		misses, err2 := strconv.ParseUint(f[2], 10, 64)
		if err1 != nil || err2 != nil {
			continue
		}
		h := all[f[0]]
		h.Hits += hits
		h.Misses += misses
		all[f[0]] = h
	}
	return all, sc.Err()
}

package tasks

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// Threads returns the threads of the processes, with follow also those of all their
// descendants. It is an error if one of the processes does not exist.
func Threads(pids []int, follow bool) ([]int, error) {
	for _, pid := range pids {
		if _, err := proc.Threads(pid); errors.Is(err, os.ErrNotExist) {
			return nil, &tracefs.HostError{Msg: fmt.Sprintf("there is no process %d", pid)}
		}
		if of, ok := proc.ProcessOf(pid); ok && of != pid {
			return nil, &tracefs.HostError{Msg: fmt.Sprintf("%d is a thread of process %d", pid, of), Hint: fmt.Sprintf("trace all its threads with -p %d", of)}
		}
	}
	return Family(pids, follow)
}

// Family returns the threads that live now. A process that has ended is skipped, and so
// is this one where it is only a descendant: what it does is not part of the trace.
func Family(named []int, follow bool) ([]int, error) {
	var children map[int][]int
	// To read the parent of every process takes most of the time that arming takes.
	if follow && slices.ContainsFunc(named, func(pid int) bool { return !proc.Childless(pid) }) {
		var err error
		if children, err = proc.Children(); err != nil {
			return nil, err
		}
	}
	var tids []int
	seen := map[int]bool{}
	for pids := slices.Clone(named); len(pids) > 0; pids = pids[1:] {
		if seen[pids[0]] {
			continue
		}
		seen[pids[0]] = true
		pids = append(pids, children[pids[0]]...)
		if pids[0] == os.Getpid() && !slices.Contains(named, pids[0]) {
			continue
		}
		ids, err := proc.Threads(pids[0])
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		tids = append(tids, ids...)
	}
	slices.Sort(tids)
	return slices.Compact(tids), nil
}

package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Threads returns the ids of a process's threads, sorted.
//
// If there is no such process the error wraps fs.ErrNotExist.
func Threads(pid int) ([]int, error) {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return nil, gone(err)
	}
	var tids []int
	for _, e := range entries {
		if tid, err := strconv.Atoi(e.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	slices.Sort(tids)
	return tids, nil
}

// Children returns all processes that live by their parents, each list sorted.
//
// It looks at every process: what /proc/<pid>/task/<tid>/children lists lacks
// some if others end meanwhile, see Documentation/filesystems/proc.rst.
func Children() (map[int][]int, error) {
	entries, err := os.ReadDir("/proc") // sorted, though not as numbers
	if err != nil {
		return nil, err
	}
	children := make(map[int][]int)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if errors.Is(gone(err), fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		parent, err := parentIn(string(stat))
		if err != nil {
			return nil, fmt.Errorf("/proc/%d/stat: %w", pid, err)
		}
		children[parent] = append(children[parent], pid)
	}
	for _, pids := range children {
		slices.Sort(pids)
	}
	return children, nil
}

// parentIn finds the parent in a line of /proc/<pid>/stat, "PID (COMM) STATE
// PPID ...". The name may hold anything, parentheses and spaces too.
func parentIn(stat string) (int, error) {
	f := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(f) < 2 {
		return 0, fmt.Errorf("no parent in %q", stat)
	}
	return strconv.Atoi(f[1])
}

// gone makes of the error for a process that has ended while a file of its was
// open the one for a process that had ended before.
func gone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}

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

// Children returns the ids of the processes that the threads of a process
// started and that live, theirs not included, sorted. Kernels without
// CONFIG_PROC_CHILDREN have none to show.
//
// See Documentation/filesystems/proc.rst, "/proc/<pid>/task/<tid>/children".
func Children(pid int) ([]int, error) {
	tids, err := Threads(pid)
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, tid := range tids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, tid))
		if errors.Is(gone(err), fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for word := range strings.FieldsSeq(string(b)) {
			if child, err := strconv.Atoi(word); err == nil {
				pids = append(pids, child)
			}
		}
	}
	slices.Sort(pids)
	return pids, nil
}

// gone makes of the error for a process that has ended while a file of its was
// open the one for a process that had ended before.
func gone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}

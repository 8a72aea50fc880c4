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

// Threads returns the IDs of a process's threads, sorted.
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

// Comm returns the name of a thread, "" if there is none.
func Comm(tid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", tid))
	return strings.TrimSuffix(string(b), "\n")
}

// ProcessOf returns the ID of the process that a thread belongs to. ok is false if that is
// not known, as for a thread that has ended.
func ProcessOf(tid int) (pid int, ok bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if id, ok := strings.CutPrefix(line, "Tgid:"); ok {
			pid, err := strconv.Atoi(strings.TrimSpace(id))
			return pid, err == nil
		}
	}
	return 0, false
}

// Childless reports whether it is certain that a process has no child: the list of children
// of each of its threads is empty. Where the kernel has no such lists it is never certain.
func Childless(pid int) bool {
	dir := fmt.Sprintf("/proc/%d/task", pid)
	tids, err := Threads(pid)
	if err != nil {
		return false
	}
	for _, tid := range tids {
		list, err := os.ReadFile(fmt.Sprintf("%s/%d/children", dir, tid))
		if err != nil || len(list) > 0 {
			return false
		}
	}
	// A listing stops early at a thread that ends; a directory for each thread, and two.
	var st syscall.Stat_t
	return syscall.Stat(dir, &st) == nil && uint64(st.Nlink) == uint64(len(tids))+2
}

// Children returns the IDs of all processes, by the ID of their parent. Each list is
// sorted.
//
// It reads the parent of every process: /proc/<pid>/task/<tid>/children lacks some if
// others end meanwhile, see Documentation/filesystems/proc.rst.
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

// parentIn returns the parent in a line of /proc/<pid>/stat, "PID (COMM) STATE PPID
// ...". The name may contain anything, even parentheses and spaces.
func parentIn(stat string) (int, error) {
	f := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(f) < 2 {
		return 0, fmt.Errorf("no parent in %q", stat)
	}
	return strconv.Atoi(f[1])
}

// gone converts the error for a process that ended while one of its files was open to
// the error for a process that does not exist.
func gone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}

package proc

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Running returns the threads that run or wait for a CPU, with how long they have run, in
// ns. tids are the threads to look at; nil means all of the system except those of this
// process. Without CONFIG_SCHED_INFO there is no time, and it returns none.
func Running(tids []int) map[int]uint64 {
	if tids == nil {
		if load, err := os.ReadFile("/proc/loadavg"); err == nil && onlyOneRuns(string(load)) {
			return nil
		}
		tids = everyThread()
	}
	running := map[int]uint64{}
	for _, tid := range tids {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", tid))
		if err != nil || !runs(string(stat)) {
			continue
		}
		if ns, err := ranFor(tid); err == nil {
			running[tid] = ns
		}
	}
	return running
}

// Lives reports whether there is a thread with this ID.
func Lives(tid int) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d", tid))
	return err == nil
}

// HasEnded reports whether a thread has ended, if only its parent has not waited for it yet.
func HasEnded(tid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", tid))
	return err != nil || strings.ContainsAny(state(string(stat)), "ZX")
}

// everyThread returns all threads except those of this process.
func everyThread() (all []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && pid != os.Getpid() {
			tids, _ := Threads(pid) // it may have ended
			all = append(all, tids...)
		}
	}
	return all
}

// onlyOneRuns reports whether /proc/loadavg, "0.20 0.18 0.12 1/80 11206", says that one
// task runs: the one that reads it.
func onlyOneRuns(loadavg string) bool {
	f := strings.Fields(loadavg)
	return len(f) > 3 && strings.HasPrefix(f[3], "1/")
}

// runs reports whether a line of /proc/<pid>/stat has the state R.
func runs(stat string) bool { return state(stat) == "R" }

// state returns the state in a line of /proc/<pid>/stat, "" if there is none.
func state(stat string) string {
	f := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(f) == 0 {
		return ""
	}
	return f[0]
}

// ranFor returns how long a thread has run, in ns: the first number of schedstat.
func ranFor(tid int) (uint64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", tid))
	if err != nil {
		return 0, err
	}
	ns, _, _ := strings.Cut(string(b), " ")
	return strconv.ParseUint(ns, 10, 64)
}

package names

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// snapshot reads the names of all threads from /proc.
func snapshot() map[int]string {
	comms := map[int]string{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		for _, tid := range threads(pid) {
			if comm, ok := commOf(tid); ok {
				comms[tid] = comm
			}
		}
	}
	return comms
}

// threads returns the threads of a process. A listing stops early at a thread that ends
// meanwhile (fs/proc/base.c, next_tid), so it is repeated until it has as many as there are.
func threads(pid int) (tids []int) {
	dir := fmt.Sprintf("/proc/%d/task", pid)
	for range 20 {
		var st syscall.Stat_t
		tids, _ = proc.Threads(pid)
		if syscall.Stat(dir, &st) != nil || uint64(len(tids))+2 >= uint64(st.Nlink) {
			break
		}
	}
	return tids
}

// commOf returns the name that the kernel has for a thread. That of its own threads is longer
// in /proc.
func commOf(tid int) (comm string, ok bool) {
	dir := "/proc/" + strconv.Itoa(tid)
	b, err := os.ReadFile(dir + "/comm")
	if err != nil {
		return "", false
	}
	comm = strings.TrimSuffix(string(b), "\n")
	if len(comm) > commLen || strings.HasPrefix(comm, "kworker/") || strings.Contains(comm, "+") {
		stat, err := os.ReadFile(dir + "/stat")
		if err != nil {
			return "", false
		}
		if isWorker(string(stat)) {
			comm = kernelWorker(comm)
		}
	}
	return comm[:min(len(comm), commLen)], true
}

// isWorker reports whether a line of /proc/TID/stat is that of a worker of a workqueue: its
// flags have PF_WQ_WORKER, which a program cannot set.
func isWorker(stat string) bool {
	const flagsField, worker = 6, 0x20 // the fields after the name, see proc_pid_stat(5)
	f := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(f) <= flagsField {
		return false
	}
	flags, err := strconv.ParseUint(f[flagsField], 10, 64)
	return err == nil && flags&worker != 0
}

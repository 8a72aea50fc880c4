package proc

import (
	"fmt"
	"os"
	"strings"
)

// InFlight returns the threads that sleep in functions, by function, with how many calls
// of it each is in. tids are the threads to look at; nil means all of the system except
// those of this process. The kernel has no stacks of threads that run now.
//
// See proc_pid_stack in fs/proc/base.c: the file needs CAP_SYS_ADMIN and
// CONFIG_STACKTRACE.
func InFlight(functions []string, tids []int) map[string]map[int]int {
	if tids == nil {
		tids = everyThread()
	}
	in := map[string]map[int]int{}
	for _, fn := range functions {
		in[fn] = map[int]int{}
	}
	for _, tid := range tids {
		stack, err := os.ReadFile(fmt.Sprintf("/proc/%d/stack", tid))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(stack)) {
			if calls := in[functionIn(line)]; calls != nil {
				calls[tid]++
			}
		}
	}
	return in
}

// functionIn returns the function in a line of a stack, "[<0>] vfs_read+0x1f/0x120 [mod]".
func functionIn(line string) string {
	_, fn, _ := strings.Cut(line, "] ")
	fn, _, _ = strings.Cut(fn, "+")
	return fn
}

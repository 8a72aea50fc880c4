package proc

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A Process has an id and the name of its first thread, which may hold anything.
type Process struct {
	PID  int
	Comm string
}

// Processes are those that can be seen, sorted by id. What ends meanwhile is left out.
func Processes() []Process {
	entries, _ := os.ReadDir("/proc")
	var found []Process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); err == nil {
			found = append(found, Process{pid, strings.TrimSuffix(string(comm), "\n")})
		}
	}
	slices.SortFunc(found, func(a, b Process) int { return cmp.Compare(a.PID, b.PID) })
	return found
}

// LoadedModules are the names of the modules that the kernel has now, each with a
// comma behind it; "" if that cannot be read.
func LoadedModules() (names string) {
	text, _ := os.ReadFile("/proc/modules")
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, " ")
		names += name + ","
	}
	return names
}

// BootID is a name of this boot of the machine, see random(4); "" if it has none.
func BootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

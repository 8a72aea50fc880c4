package proc

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

// Executable is the program that this process runs, also if its file was removed.
const Executable = "/proc/self/exe"

// A Process is the ID of a process and the name of its first thread, which may contain
// anything.
type Process struct {
	PID  int
	Comm string
}

// Processes returns the processes that can be seen, sorted by ID. Processes that end
// meanwhile are left out.
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
	sort.Slice(found, func(i, j int) bool { return found[i].PID < found[j].PID })
	return found
}

// LoadedModules returns the names of the modules that are loaded now, each followed by
// a comma; "" if they cannot be read.
func LoadedModules() (names string) {
	text, _ := os.ReadFile("/proc/modules")
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, " ")
		names += name + ","
	}
	return names
}

// BootID returns the ID of this boot of the machine, see random(4); "" if there is
// none.
func BootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

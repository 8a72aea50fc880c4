package fetchargs

import (
	"fmt"
	"strings"
)

// A Scope is where the probes of emitted lines record. The zero value is everywhere.
type Scope struct {
	CPUMask string // of the CPUs, as tracing_cpumask reads it; "" for all
	Pids    []int  // processes, all threads of each; none for all there are
	Follow  bool   // and their children, those they have and those to come
}

// A setting is a file of tracefs that is written before probes are enabled.
type setting struct {
	file  string
	lines []string // of a shell in the directory of tracefs
	back  string   // the line that writes what was in it, $was
}

// settings are in the order in which they are written: what the threads of the list
// start is in it from then on.
func (s Scope) settings() []setting {
	var all []setting
	if s.CPUMask != "" {
		all = append(all, setting{"tracing_cpumask", []string{"echo " + s.CPUMask + " > tracing_cpumask"}, "echo $was > tracing_cpumask"})
	}
	if len(s.Pids) == 0 {
		return all
	}
	// A write for each thread: the kernel takes a number that two writes share for two.
	// Of a line without a number 5.10 takes nothing, which some shells try again for ever.
	add := `add() { for t in /proc/$1/task/*; do echo "${t##*/}" >> set_event_pid; done; }`
	if s.Follow {
		all = append(all, setting{"options/event-fork", []string{"echo 1 > options/event-fork"}, "echo $was > options/event-fork"})
		add = strings.TrimSuffix(add, "}") + `for c in $(grep -sl "^PPid:.$1\$" /proc/[0-9]*/status); do c=${c%/*}; add ${c##*/}; done; }`
	}
	lines := []string{": > set_event_pid", add}
	for _, pid := range s.Pids {
		lines = append(lines, fmt.Sprintf("add %d", pid))
	}
	return append(all, setting{"set_event_pid", lines, ": > set_event_pid; for t in $was; do echo $t >> set_event_pid; done"})
}

// pasted are words like those of Pasted.
func (s Scope) pasted() []string {
	if len(s.Pids) == 0 || s.Follow {
		return nil
	}
	return []string{"the threads that are there when this is run are traced, not those that come later: --follow adds these, and children"}
}

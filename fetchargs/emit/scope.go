package emit

import (
	"fmt"
	"strings"
)

// A Scope says on which CPUs and for which processes emitted lines record. The zero
// value means everywhere.
type Scope struct {
	CPUMask string // the CPUs, in the form of tracing_cpumask; "" for all
	Pids    []int  // processes with all their threads; none means all processes
	Follow  bool   // also the children of Pids, those of now and of later
}

// A setting is a tracefs file that is written before probes are enabled.
type setting struct {
	file  string
	lines []string // of a shell in the directory of tracefs
	back  string   // the line that restores the old content, $was
}

// settings returns the settings in the order in which they are written: event-fork
// comes before the threads, so that it catches all that these start.
func (s Scope) settings() []setting {
	var all []setting
	if s.CPUMask != "" {
		all = append(all, setting{"tracing_cpumask", []string{"echo " + s.CPUMask + " > tracing_cpumask"}, "echo $was > tracing_cpumask"})
	}
	if len(s.Pids) == 0 {
		return all
	}
	// Each thread has a write of its own: the kernel takes a number that is split
	// over two writes for two numbers. 5.10 consumes nothing of a line without a
	// number, and some shells then retry for ever.
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

// pasted returns notes for people, like Pasted.
func (s Scope) pasted() []string {
	if len(s.Pids) == 0 || s.Follow {
		return nil
	}
	return []string{"the threads that are there when this is run are traced, not those that come later: --follow adds these, and children"}
}

package machine

import (
	"errors"
	"slices"
	"sync"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// eachCPU returns the CPUs that a call may be on. If more CPUs are possible than probes can
// be defined for, as virtual machines often have it, it returns those that are online.
func eachCPU() (target.CPUs, error) {
	possible, err := cpuList(proc.PossibleCPUs)
	if err != nil || len(possible) <= dynevent.MostCPUs {
		return target.CPUs{Numbers: possible}, err
	}
	online, err := OnlineCPUs()
	later := slices.DeleteFunc(possible, func(n int) bool { return slices.Contains(online, n) })
	return target.CPUs{Numbers: online, Later: later}, err
}

// OnlineCPUs returns the CPUs that are online.
func OnlineCPUs() ([]int, error) { return cpuList(proc.OnlineCPUs) }

func cpuList(read func() (string, error)) ([]int, error) {
	text, err := read()
	if err != nil {
		return nil, err
	}
	return tracefs.ParseCPUs(text)
}

// cpuOffset returns a function that reads the offset of a CPU from the kernel's memory.
func (m *Machine) cpuOffset() func(cpu int) (uint64, error) {
	table := sync.OnceValues(func() (uint64, error) {
		addrs := m.Symbols.Addrs("__per_cpu_offset")
		if len(addrs) != 1 || addrs[0] == 0 {
			return 0, errors.New("/proc/kallsyms does not tell where __per_cpu_offset is")
		}
		return addrs[0], nil
	})
	return func(cpu int) (uint64, error) {
		at, err := table()
		if err != nil {
			return 0, err
		}
		return proc.ReadWord(at + 8*uint64(cpu))
	}
}

package host

import (
	"errors"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// eachCPU returns the CPUs that a call may be on. If more CPUs are possible than probes can
// be defined for, as virtual machines often have it, it returns those that are online.
// offsets is the table of what the kernel adds to the address of a variable to get the copy
// of a CPU. Its contents are read from the kernel's memory if far is set.
func eachCPU(offsets target.SymbolPlace, far bool) (*target.CPUs, error) {
	cpus := &target.CPUs{}
	numbers, err := cpuList(proc.PossibleCPUs)
	if err == nil && len(numbers) > dynevent.MostCPUs {
		possible := numbers
		numbers, err = OnlineCPUs()
		cpus.Later = slices.DeleteFunc(possible, func(n int) bool { return slices.Contains(numbers, n) })
	}
	switch {
	case err != nil:
		return nil, err
	case len(numbers) == 0:
		return nil, errors.New("this host lists no CPUs")
	}
	for _, n := range numbers {
		c := dynevent.CPU{N: n}
		switch known := len(offsets.Addrs) == 1 && !offsets.Hidden; {
		case !known:
			cpus.NoOffset = errors.New("/proc/kallsyms does not show where " + dynevent.PerCPUOffsets + " is")
		case far && cpus.NoOffset == nil:
			c.Table = offsets.Addrs[0]
			c.Offset, cpus.NoOffset = proc.ReadWord(c.Table + 8*uint64(n))
		default:
			c.Table = offsets.Addrs[0]
		}
		cpus.Each = append(cpus.Each, c)
	}
	return cpus, nil
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

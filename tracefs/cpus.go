package tracefs

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// setCPUs lets only these CPUs record, unless all are to, and checks that they
// are there. The others do not count what they leave out as lost.
//
// See Documentation/trace/ftrace.rst, "tracing_cpumask".
func (s *Session) setCPUs(cpus []int, all bool) error {
	if len(cpus) == 0 {
		return nil
	}
	there, err := s.CPUs()
	if err != nil {
		return err
	}
	for _, cpu := range cpus {
		if !slices.Contains(there, cpu) {
			return &MachineError{Msg: fmt.Sprintf("there is no CPU %d: the last one of this machine is %d", cpu, slices.Max(there))}
		}
	}
	if all {
		return nil
	}
	return s.set(s.path("tracing_cpumask"), cpuMask(cpus))
}

// CPUs are the CPUs that the machine may have.
func (s *Session) CPUs() ([]int, error) {
	dirs, err := fs.ReadDir(s.fs.root.FS(), s.path("per_cpu"))
	if err != nil {
		return nil, err
	}
	var cpus []int
	for _, d := range dirs {
		if n, err := strconv.Atoi(strings.TrimPrefix(d.Name(), "cpu")); err == nil {
			cpus = append(cpus, n)
		}
	}
	return cpus, nil
}

// cpuMask writes a set of CPUs as the kernel reads it: hexadecimal words of 32
// bits with commas between them, the highest first.
func cpuMask(cpus []int) string {
	words := make([]uint32, slices.Max(cpus)/32+1)
	for _, cpu := range cpus {
		words[len(words)-1-cpu/32] |= 1 << (cpu % 32)
	}
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%08x", w)
	}
	return b.String()
}

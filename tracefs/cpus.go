package tracefs

import (
	"fmt"
	"slices"
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
	there, err := s.cpus()
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

package tracefs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mostCPUs is the largest NR_CPUS of any kernel.
const mostCPUs = 8192

// ParseCPUs parses a list such as "0-3,8,10-11", as the kernel and users write it. It
// returns each CPU once, in ascending order. See
// Documentation/admin-guide/cputopology.rst.
func ParseCPUs(list string) (cpus []int, err error) {
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			last = first
		}
		a, err1 := strconv.ParseUint(first, 10, 31)
		b, err2 := strconv.ParseUint(last, 10, 31)
		if err1 != nil || err2 != nil || b < a || b > mostCPUs {
			return nil, fmt.Errorf("%q is not a valid list of CPUs", list)
		}
		for ; a <= b; a++ {
			cpus = append(cpus, int(a))
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}

// setCPUs makes only these CPUs record, unless all is set, and checks that they exist.
// The other CPUs do not count what they leave out as lost.
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
			return &HostError{Msg: fmt.Sprintf("there is no CPU %d: the last one of this host is %d", cpu, slices.Max(there))}
		}
	}
	if all {
		return nil
	}
	return s.set(s.path("tracing_cpumask"), CPUMask(cpus))
}

// CPUs returns the CPUs that the machine may have.
func (s *Session) CPUs() ([]int, error) {
	dirs, err := s.fs.names(s.path("per_cpu"))
	if err != nil {
		return nil, err
	}
	var cpus []int
	for _, d := range dirs {
		if n, err := strconv.Atoi(strings.TrimPrefix(d, "cpu")); err == nil {
			cpus = append(cpus, n)
		}
	}
	return cpus, nil
}

// CPUMask formats a set of CPUs as the kernel reads it: hexadecimal 32-bit words
// separated by commas, highest first; "" for none.
func CPUMask(cpus []int) string {
	if len(cpus) == 0 {
		return ""
	}
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

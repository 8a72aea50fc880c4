package proc

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// OnlineCPUs counts the CPUs that are on: /sys/devices/system/cpu/online.
func OnlineCPUs() (int, error) {
	b, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return 0, err
	}
	return countCPUs(string(b))
}

// countCPUs counts a list such as "0-3,8,10-11". See
// Documentation/admin-guide/cputopology.rst.
func countCPUs(list string) (n int, err error) {
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		a, err1 := strconv.Atoi(first)
		b, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || a < 0 || b < a {
			return 0, fmt.Errorf("list of CPUs %q", list)
		}
		n += b - a + 1
	}
	return n, nil
}

package proc

import (
	"os"
	"strconv"
	"strings"
)

// KptrRestrict returns /proc/sys/kernel/kptr_restrict, or -1 if it is not known. With 2
// addresses are hidden from everybody, with 0 and 1 from those without CAP_SYSLOG.
func KptrRestrict() int {
	b, err := os.ReadFile("/proc/sys/kernel/kptr_restrict")
	if err != nil {
		return -1
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return -1
	}
	return n
}

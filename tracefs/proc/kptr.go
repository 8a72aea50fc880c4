package proc

import (
	"os"
	"strconv"
	"strings"
)

// KptrRestrict is how /proc/sys/kernel/kptr_restrict hides addresses: 2 from all, 1 and
// 0 from those without CAP_SYSLOG; -1 if that is not known.
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

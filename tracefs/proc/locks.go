package proc

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// LockHolder returns the process that holds the flock(2) on a file. ok is false if it is not
// known, such as for a process of another PID namespace.
func LockHolder(file string) (h Holder, ok bool) {
	var st unix.Stat_t
	if unix.Stat(file, &st) != nil {
		return h, false
	}
	inode := fmt.Sprintf("%02x:%02x:%d", unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev)), st.Ino)
	locks, _ := os.ReadFile("/proc/locks")
	for line := range strings.Lines(string(locks)) {
		// 1: FLOCK  ADVISORY  WRITE 115 00:0b:1234 0 EOF; who waits has -> before FLOCK
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" || f[5] != inode {
			continue
		}
		if h.PID, _ = strconv.Atoi(f[4]); h.PID > 0 {
			comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", h.PID))
			h.Comm, h.File = strings.TrimSpace(string(comm)), file
			return h, true
		}
	}
	return h, false
}

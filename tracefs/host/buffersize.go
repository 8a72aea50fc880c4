package host

import (
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"golang.org/x/sys/unix"
)

// Bounds of the default buffer size, in KiB.
const (
	leastBuffer = 1408     // per CPU: the kernel's own default
	mostBuffer  = 32 << 10 // per CPU
	mostBuffers = 1 << 20  // for all CPUs together
)

// DefaultBuffer returns the default size of each CPU's buffer in KiB. It depends on the
// machine's memory.
func DefaultBuffer() int {
	var info unix.Sysinfo_t
	list, err := proc.OnlineCPUs()
	if err != nil || unix.Sysinfo(&info) != nil {
		return leastBuffer
	}
	cpus, err := tracefs.ParseCPUs(list)
	if err != nil {
		return leastBuffer
	}
	return bufferFor(uint64(info.Totalram)*uint64(info.Unit)>>10, len(cpus))
}

// bufferFor returns the size of each CPU's buffer in KiB: all buffers together take a
// 32nd of the memory, which is in KiB.
func bufferFor(memory uint64, cpus int) int {
	all := int(min(memory/32, mostBuffers))
	return min(max(all/max(cpus, 1), leastBuffer), mostBuffer)
}

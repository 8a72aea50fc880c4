package trace

import (
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"golang.org/x/sys/unix"
)

// Bounds of the default buffer, KiB.
const (
	leastBuffer = 1408     // of one CPU: the kernel's own default
	mostBuffer  = 32 << 10 // of one CPU
	mostBuffers = 1 << 20  // of all CPUs together
)

// DefaultBuffer is the size of one CPU's buffer in KiB, by the machine's memory.
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

// bufferFor takes a 32nd of the memory, in KiB, for all CPUs.
func bufferFor(memory uint64, cpus int) int {
	all := int(min(memory/32, mostBuffers))
	return min(max(all/max(cpus, 1), leastBuffer), mostBuffer)
}

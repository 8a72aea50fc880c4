package proc

import "os"

// OnlineCPUs returns the kernel's list of the CPUs that are online, such as "0-3,8",
// from /sys/devices/system/cpu/online.
func OnlineCPUs() (string, error) { return cpus("online") }

// PossibleCPUs returns the kernel's list of the CPUs that may ever be online.
func PossibleCPUs() (string, error) { return cpus("possible") }

func cpus(which string) (string, error) {
	b, err := os.ReadFile("/sys/devices/system/cpu/" + which)
	return string(b), err
}

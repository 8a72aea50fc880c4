package proc

import "os"

// OnlineCPUs returns the kernel's list of the CPUs that are online, such as "0-3,8",
// from /sys/devices/system/cpu/online.
func OnlineCPUs() (string, error) {
	b, err := os.ReadFile("/sys/devices/system/cpu/online")
	return string(b), err
}

package proc

import "os"

// OnlineCPUs is the kernel's list of the CPUs that are on, such as "0-3,8":
// /sys/devices/system/cpu/online.
func OnlineCPUs() (string, error) {
	b, err := os.ReadFile("/sys/devices/system/cpu/online")
	return string(b), err
}

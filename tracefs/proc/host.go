package proc

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Host returns what uname(2) says of this system.
func Host() (name, release, arch string) {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "", "", ""
	}
	return unix.ByteSliceToString(u.Nodename[:]), unix.ByteSliceToString(u.Release[:]), unix.ByteSliceToString(u.Machine[:])
}

// MachineID returns the ID of this installation, see machine-id(5); "" if it has none.
func MachineID() string {
	id, err := os.ReadFile("/etc/machine-id")
	if err != nil {
		id, _ = os.ReadFile("/var/lib/dbus/machine-id")
	}
	return strings.TrimSpace(string(id))
}

// ClockError returns how far the time of day may be off, and whether the kernel takes it
// for synchronized; ok is false if the kernel does not say. An error that nobody corrects
// grows by 500 µs a second, up to 16 s.
func ClockError() (max time.Duration, synced, ok bool) {
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	if err != nil {
		return 0, false, false
	}
	return time.Duration(t.Maxerror) * time.Microsecond, state != unix.TIME_ERROR, true
}

// Uname returns what trace-cmd stores of uname(2), "" if that is not known.
func Uname() string {
	name, release, arch := Host()
	if arch == "" {
		return ""
	}
	return "Linux " + name + " " + release + " " + arch
}

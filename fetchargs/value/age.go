package value

import (
	"math"

	"github.com/tsnoop/tsnoop/btf"
)

// A record holds the age, in ns, in place of the time that the kernel has stored there:
// only the reader of the records knows when their events happened.

// NoAge is the age in a record if the time is not set, or if the clock of the events is
// not known.
const NoAge = math.MinInt64

// age returns the value of an age in a record.
func age(raw uint64) Value {
	if noAge := int64(NoAge); raw == uint64(noAge) {
		return Value{}
	}
	return Value{Kind: Int, Uint: raw}
}

// bootStamps lists members that hold times of CLOCK_BOOTTIME. All other times are taken
// for times of CLOCK_MONOTONIC.
var bootStamps = map[string]bool{
	"task_struct.start_boottime":  true, // include/linux/sched.h
	"task_struct.real_start_time": true, // the same, before 5.5
	"bpf_prog_aux.load_time":      true, // include/linux/bpf.h
}

// IsBootStamp reports whether a member of the struct of holds a time of CLOCK_BOOTTIME.
func IsBootStamp(of btf.Type, member string) bool {
	t, ok := btf.Strip(of).(*btf.Struct)
	return ok && bootStamps[t.Name+"."+member]
}

// AgeClock returns the name of the clock of the time from which an age is computed.
func (f *Field) AgeClock() string {
	if f.Boot {
		return "CLOCK_BOOTTIME"
	}
	return "CLOCK_MONOTONIC"
}

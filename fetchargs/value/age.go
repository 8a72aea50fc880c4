package value

import (
	"math"

	"github.com/tsnoop/tsnoop/btf"
)

// A record holds an age, in ns, in place of the time stamp that the kernel has written
// there: only who reads the records knows when their events were.

// NoAge stands in a record for the age of a stamp that is not set, or where it is not
// known which clock the events' times are of.
const NoAge = math.MinInt64

// age is the value of the age in a record.
func age(raw uint64) Value {
	if noAge := int64(NoAge); raw == uint64(noAge) {
		return Value{}
	}
	return Value{Kind: Int, Uint: raw}
}

// bootStamps are members with times of CLOCK_BOOTTIME; all others are taken for those of
// CLOCK_MONOTONIC.
var bootStamps = map[string]bool{
	"task_struct.start_boottime":  true, // include/linux/sched.h
	"task_struct.real_start_time": true, // the same, before 5.5
	"bpf_prog_aux.load_time":      true, // include/linux/bpf.h
}

// IsBootStamp reports whether a member of a struct is a time of CLOCK_BOOTTIME.
func IsBootStamp(of btf.Type, member string) bool {
	t, ok := btf.Strip(of).(*btf.Struct)
	return ok && bootStamps[t.Name+"."+member]
}

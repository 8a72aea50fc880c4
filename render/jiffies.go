package render

import "github.com/tsnoop/tsnoop/fetchargs/value"

const (
	// bootSeconds is the time from boot until the lower half of jiffies overflows:
	// INITIAL_JIFFIES of include/linux/jiffies.h.
	bootSeconds = 300
	// forever is the least number of jiffies that the kernel takes for ever:
	// MAX_JIFFY_OFFSET. MAX_SCHEDULE_TIMEOUT is larger.
	forever = 1<<62 - 2
	// mostJiffies is thousands of years.
	mostJiffies = 1 << 50
)

// jiffiesText appends a number of jiffies. It is a duration, in seconds, or if it is so
// large that it must be a time, the seconds since boot, without those that the machine
// was suspended: "0.250s", "boot+93.412s". With 32 bits all are taken for durations.
func jiffiesText(o *Options, t *value.Type, dst []byte, x uint64) []byte {
	if t.HZ <= 0 {
		return decimalText(o, t, dst, x)
	}
	hz := uint64(t.HZ)
	minus := int64(x) < 0 && (t.Signed || t.Width() == 8)
	if minus {
		x = -x
	}
	switch boot := 1<<32 - bootSeconds*hz; {
	case x >= forever:
		return append(dst, "forever"...)
	case x > mostJiffies:
		return decimalText(o, t, dst, x)
	case minus:
		dst = append(dst, '-')
	case x >= boot && t.Width() == 8:
		dst, x = append(dst, "boot+"...), x-boot
	}
	const ms = 1000
	return append(AppendFixed(dst, x*ms/hz, ms), 's')
}

// perCPUText appends a per-CPU pointer. It becomes an address only with the offset of a
// CPU. If it is the address of the variable that all copies are made from, its name is
// appended.
func perCPUText(o *Options, t *value.Type, dst []byte, x uint64) []byte {
	if x == 0 || value.IsErrno(x) {
		return addressText(o, t, dst, x)
	}
	dst = append(hexText(o, t, dst, x), " (percpu)"...)
	if o.Symbol != nil {
		if name, module, off, ok := o.Symbol(x); ok {
			dst = append(AppendSymbol(append(dst, " <"...), name, module, off), '>')
		}
	}
	return dst
}

package render

import "github.com/tsnoop/tsnoop/fetchargs/value"

const (
	// bootSeconds are between the boot and the moment when the lower half of jiffies
	// runs over: INITIAL_JIFFIES of include/linux/jiffies.h.
	bootSeconds = 300
	// forever is the least of what the kernel calls so: MAX_JIFFY_OFFSET, of which
	// MAX_SCHEDULE_TIMEOUT is more.
	forever = 1<<62 - 2
	// mostJiffies are thousands of years.
	mostJiffies = 1 << 50
)

// jiffiesText appends what a number of jiffies is: a duration, in seconds, or if it is
// so large that it must be one a time, in seconds since the machine was booted, those
// left out that it was suspended: "0.250s", "boot+93.412s". Of 32 bits only durations
// can be told.
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

// perCPUText appends a pointer to what each CPU has its own of. It is an address only
// with the offset of a CPU; where it has that of the variable that all were made from,
// that has a name.
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

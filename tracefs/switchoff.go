package tracefs

import "fmt"

// A SwitchOff says that the probes of a function were switched off while the trace ran,
// because it was called too often: calls that began later are not in the trace.
type SwitchOff struct {
	Func, Module string // as in its calls; Module is "" for the kernel itself
	Spec         string // what the user wrote
	Name         string // of the function as the user wrote it; if several specs name it, Spec
	Time         uint64 // ns on the trace clock
	Rate         uint64 // events a second, 0 if that is not known
	Limit        int    // events a second that were allowed
}

// Now returns what to report when it happens.
func (o *SwitchOff) Now() string {
	return fmt.Sprintf("%s has %d events a second: its probe is switched off, and further calls are not shown; --max-rate 0 lets it go on", o.Name, o.Rate)
}

// Then returns what to report of a recording that began at start, in ns on the trace clock.
// The time is that of --time rel.
func (o *SwitchOff) Then(start uint64) string {
	at := max(o.Time, start) - start
	then := fmt.Sprintf("its probe was switched off at %d.%06d, and later calls were not recorded", at/1e9, at%1e9/1e3)
	if o.Rate == 0 {
		return fmt.Sprintf("%s had too many events: %s", o.Name, then)
	}
	return fmt.Sprintf("%s had %d events a second: %s", o.Name, o.Rate, then)
}

package tracefs

import "fmt"

// A Warning is a message that does not end a trace.
type Warning struct {
	Text   string // a sentence; may contain bytes from the kernel or a file
	Detail bool   // only for those who want to know everything
	More   bool   // Warnings with Detail, which come as well, say more

	BufferKB int // size of each CPU's buffer that would help, in KiB; 0 if none would

	// Interference is what another program has done, if Text is about that; nil
	// otherwise.
	Interference *Interference
	SwitchOff    *SwitchOff // what Text is about, if it is about that; nil otherwise
}

// A Warner passes warnings on. A nil Warner drops them.
type Warner func(Warning)

// Warn passes on a warning.
func (w Warner) Warn(what Warning) {
	if w != nil {
		w(what)
	}
}

// Warnf passes on a warning that is only text.
func (w Warner) Warnf(format string, args ...any) {
	w.Warn(Warning{Text: fmt.Sprintf(format, args...)})
}

// Detailf passes on a warning for those who want to know everything.
func (w Warner) Detailf(format string, args ...any) {
	if w != nil {
		w(Warning{Text: fmt.Sprintf(format, args...), Detail: true})
	}
}

// Package losses says what a trace does not show: events for which there was no room,
// calls that the kernel could not follow, calls that have not returned. The kernel counts
// some of them, for all tasks and together with others; what was seen bounds the rest. A
// recording has what was known when it ended.
package losses

import (
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/tracefs"
)

// Losses says what a trace does not show, from the kernel's own counts.
type Losses struct {
	CPUs     []tracefs.CPUStats // counts of each CPU's buffer
	Err      error              // why CPUs is not known
	BufferKB int                // size of each CPU's buffer in KiB, 0 if not known
	Kept

	SwitchedOff []tracefs.SwitchOff // functions whose later calls are not in the trace

	Damaged Between // events in damaged parts of a recording

	Recorded bool   // the events were lost when the file was recorded
	Part     bool   // CPUs, Damaged and SwitchedOff are about a part of the recording, Kept is about all of it
	Start    uint64 // when that began, in ns on the trace clock
}

// Kept is the part of Losses that recordings store, as JSON.
type Kept struct {
	Missed []Missed `json:",omitempty"` // in the order of the plans

	Unfinished []Unfinished `json:",omitempty"` // only of plans that record returns alone; others yield such calls

	// Unsure is how many further calls of UnsureFuncs may have been missed, or had
	// values that could not be read: before 5.14 the kernel does not tell these apart.
	Unsure      uint64   `json:",omitempty"`
	UnsureFuncs []string `json:",omitempty"`

	// Interfered is what other programs have done to the trace; only of a recording, since it
	// is reported at once.
	Interfered []tracefs.Interference `json:",omitempty"`
}

// mostInterfered is how much interference is kept.
const mostInterfered = 100

// Interfere returns a Warner that also keeps the interference that it is called with. It calls
// kept each time.
func (k *Kept) Interfere(w tracefs.Warner, kept func()) tracefs.Warner {
	return func(what tracefs.Warning) {
		w.Warn(what)
		if what.Interference != nil && len(k.Interfered) < mostInterfered {
			k.Interfered = append(k.Interfered, *what.Interference)
			kept()
		}
	}
}

// Missed counts the calls of a function, or its returns, for which the kernel could not
// run the probe.
type Missed struct {
	Func   string
	Return bool
	Calls  uint64
	AtMost bool // not all of Calls may be of what the trace shows: the kernel counts all tasks
}

// A Between is a number of which bounds are known.
type Between struct{ Min, Max uint64 }

func (b Between) String() string {
	if b.Min == b.Max {
		return plural.Of(b.Min, "event")
	}
	return fmt.Sprintf("between %d and %d events", b.Min, b.Max)
}

// Add adds bounds of further ones.
func (b *Between) Add(c Between) {
	b.Min += c.Min
	b.Max += c.Max
}

// Events returns how many events were lost in all, and at least in damaged parts.
func (l *Losses) Events() (n uint64) {
	return l.kernel() + l.Damaged.Min
}

// kernel returns how many events the kernel has lost.
func (l *Losses) kernel() (n uint64) {
	for i := range l.CPUs {
		n += l.CPUs[i].Lost()
	}
	return n
}

// Skipped returns how many of the lost events a larger buffer would not have kept: see
// tracefs.CPUStats.
func (l *Losses) Skipped() (n uint64) {
	for i := range l.CPUs {
		n += l.CPUs[i].Skipped
	}
	return n
}

// Report reports the losses in words, one warning for each. It leaves out
// interference and functions that were switched off, unless they are from a recording: a
// trace reports these at once.
func (l *Losses) Report(report func(tracefs.Warning)) {
	w := tracefs.Warner(report)
	if l.Err != nil {
		w.Warnf("whether events were lost is not known: %v", l.Err)
	}
	switch n := l.kernel(); {
	case n == 0:
	case l.Part:
		w.Warnf("%s lost between --from and --to: %s", plural.Were(n, "event"), l.places())
	case l.Recorded:
		w.Warnf("%s lost in all while this was recorded: %s", plural.Were(n, "event"), l.places())
	case l.BufferKB > 0 && n > l.Skipped():
		report(tracefs.Warning{Text: fmt.Sprintf("%s lost in all: %s", plural.Were(n, "event"), l.places()), BufferKB: 2 * l.BufferKB})
	default:
		w.Warnf("%s lost in all: %s; the kernel has passed over them", plural.Were(n, "event"), l.places())
	}
	for i := range l.SwitchedOff {
		if l.Recorded {
			w.Warnf("%s", l.SwitchedOff[i].Then(l.Start))
		}
	}
	for i := range l.Interfered {
		if l.Recorded {
			w.Warnf("reported while this was recorded: %s", l.Interfered[i].Text)
		}
	}
	whole := ""
	if l.Part {
		whole = "in the whole recording, "
	}
	for _, m := range l.Missed {
		what, most := "call", ""
		if m.Return {
			what = "return"
		}
		if m.AtMost {
			most = "up to "
		}
		w.Warnf("%s%s%s of %s %s missed: the kernel could not run the probe", whole, most, plural.Of(m.Calls, what), m.Func, plural.Verb(m.Calls))
	}
	for _, u := range l.Unfinished {
		began := "began"
		if u.Earlier {
			began = "began before the trace"
		}
		w.Warnf("%s%s of %s %s and did not end", whole, plural.Of(u.Calls, "call"), u.Func, began)
	}
	if len(l.UnsureFuncs) > 0 {
		w.Warnf("%sup to %s of %s %s missed, or had values that could not be read: before 5.14 the kernel does not distinguish these", whole, plural.Of(l.Unsure, "call"), strings.Join(l.UnsureFuncs, ", "), plural.Verb(l.Unsure))
	}
}

// places returns text like "5 on CPU 0, 7 on CPU 1".
func (l *Losses) places() string {
	var parts []string
	for _, st := range l.CPUs {
		if n := st.Lost(); n > 0 {
			parts = append(parts, fmt.Sprintf("%d on CPU %d", n, st.CPU))
		}
	}
	return strings.Join(parts, ", ")
}

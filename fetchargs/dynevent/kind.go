// Package dynevent is the kernel's language for dynamic events: how a line that defines one
// begins, what a fetcharg in it fetches and how it is written, and what limits there are. It
// only makes and reads text.
//
// See Documentation/trace/kprobetrace.rst.
package dynevent

import "strconv"

// A Kind is a kind of dynamic event. To add one, add a row to kinds.
type Kind uint8

const (
	Kprobe    Kind = iota // at function entry
	Kretprobe             // at function return
	Existing              // an event that the kernel has by itself, at a tracepoint
	Eprobe                // at such an event
	Tprobe                // at a tracepoint
	Fentries              // at the entries of all functions that a glob matches: see plan.Many
	Freturns              // at their returns
)

var kinds = [...]struct {
	name   string
	file   string               // file of definitions, in tracefs
	prefix string               // start of a definition
	side   Side                 // of the calls that have the events
	counts bool                 // a number may follow the prefix: how many calls to follow at a time
	at     bool                 // it is put at a function: its events have a stack pointer, and the kernel counts its hits
	takes  func(*Arg) bool      // nil for all
	has    string               // what it can fetch, if not all
	since  string               // first version of the kernel that has them, if not all do
	offers func(*Features) bool // nil for all kernels
	comm   string               // the field that it takes for the name of the task; "" for $comm
	boot   string               // what follows the place in a bootconfig, where there is no prefix
	after  string               // what follows the place in a definition
	blind  bool                 // the kernel does not show how often it was hit, and how often it was missed
}{
	Kprobe:    {name: "kprobe", file: "kprobe_events", prefix: "p", side: Entry, at: true},
	Kretprobe: {name: "kretprobe", file: "kprobe_events", prefix: "r", side: Return, at: true, counts: true, boot: "%return"},
	Existing:  {name: "event", side: Entry, takes: (*Arg).InEvent, has: "the event itself has only its fields"},
	Eprobe:    {name: "eprobe", file: "dynamic_events", prefix: "e", since: "5.15 that has event probes", side: Entry, takes: eprobeTakes, has: "an event probe has the event's fields, what they point to, and $comm", offers: func(f *Features) bool { return f.Eprobe }, comm: "COMM"},
	Tprobe:    {name: "tprobe", file: "dynamic_events", prefix: "t", since: "6.5 with CONFIG_FPROBE_EVENTS", side: Entry, takes: tprobeTakes, has: "a tracepoint probe has the tracepoint's arguments, what they point to, and $comm", offers: func(f *Features) bool { return f.Tprobe }},
	Fentries:  {name: "fentries", file: "dynamic_events", prefix: "f", since: sinceFprobe, side: Entry, at: true, blind: true, takes: fprobeTakes, has: hasFprobe, offers: func(f *Features) bool { return f.Fprobe }},
	Freturns:  {name: "freturns", file: "dynamic_events", prefix: "f", since: sinceFprobe, side: Return, at: true, blind: true, takes: fprobeTakes, has: hasFprobe, offers: func(f *Features) bool { return f.Fprobe }, after: "%return"},
}

const (
	sinceFprobe = "6.5 with CONFIG_FPROBE_EVENTS"
	hasFprobe   = "an event of many functions has their arguments and return values as they are"
)

// Named returns the kind of that name, and false if there is none.
func Named(name string) (Kind, bool) {
	for i := range kinds {
		if kinds[i].name == name {
			return Kind(i), true
		}
	}
	return 0, false
}

// String returns the name of the kind: "kprobe" or "kretprobe".
func (k Kind) String() string { return kinds[k].name }

// File returns the file of tracefs that definitions are written to and read from; "" for
// events that the kernel has by itself.
func (k Kind) File() string { return kinds[k].file }

// Defined reports whether such an event exists only once it is defined.
func (k Kind) Defined() bool { return kinds[k].file != "" }

// Side returns the side of a call that events of the kind report.
func (k Kind) Side() Side { return kinds[k].side }

// Takes reports whether such a probe can fetch a.
func (k Kind) Takes(a *Arg) bool { return kinds[k].takes == nil || kinds[k].takes(a) }

// Has says what such a probe can fetch, if it cannot fetch everything.
func (k Kind) Has() string { return kinds[k].has }

// Since returns the first version of the kernel that has such probes.
func (k Kind) Since() string { return kinds[k].since }

// Comm returns the fetcharg of the task's name. An event may have a field comm, which is what
// $comm means to an event probe; no event has a field COMM.
func (k Kind) Comm() Arg {
	if word := kinds[k].comm; word != "" {
		return Arg{Base: Base{Kind: Field, Name: word}, Type: String}
	}
	return Arg{Base: Base{Kind: Comm}, Type: CommText}
}

// Offered reports whether a kernel with such features has such probes.
func (k Kind) Offered(f Features) bool { return kinds[k].offers == nil || kinds[k].offers(&f) }

// AtFunction reports whether such a probe is put at the entry or the return of a function.
// Then its events have a caller and a stack pointer, and the kernel counts its hits.
func (k Kind) AtFunction() bool { return kinds[k].at }

// Counted reports whether the kernel counts the hits of such a probe, and the calls that it
// misses.
func (k Kind) Counted() bool { return kinds[k].at && !kinds[k].blind }

// AfterPlace returns what follows the place in a definition.
func (k Kind) AfterPlace() string { return kinds[k].after }

// AtBoot returns what follows the place of such a probe in a bootconfig.
func (k Kind) AtBoot() string { return kinds[k].boot }

// Head returns the start of a definition, such as "r16:GROUP/EVENT". active is how many
// calls a return event can follow at a time; 0 leaves it to the kernel.
func (k Kind) Head(group, event string, active int) string {
	prefix := kinds[k].prefix
	if kinds[k].counts && active > 0 {
		prefix += strconv.Itoa(active)
	}
	return prefix + ":" + group + "/" + event
}

// The kernel accepts definitions and filters that are shorter than a page, or than its
// buffer of 4096 bytes (WRITE_BUFSIZE). If a definition is longer, error_log has no
// entry.
const (
	MaxLine   = 4094 // longest definition in bytes
	MaxFilter = 4094 // longest filter in bytes
)

// Removal returns the line that removes an event.
func Removal(group, event string) string { return "-:" + group + "/" + event }

// An event probe refuses $argN, $stackN and registers. It knows the address of text in a field,
// but not of other arrays (get_event_field in kernel/trace/trace_eprobe.c).
func eprobeTakes(a *Arg) bool {
	switch a.Base.Kind {
	case Field, FieldText, Memory, Immediate, EmptyText, PerCPU:
		return !a.Base.Each
	}
	return false
}

// A tracepoint probe has no registers.
func tprobeTakes(a *Arg) bool {
	switch a.Base.Kind {
	case ArgN, Comm, Current, Memory, Immediate, EmptyText, PerCPU:
		return !a.Base.Each
	}
	return false
}

// An fprobe event is one of many functions, so it follows no pointer: what is there depends on
// the function. It has no registers.
func fprobeTakes(a *Arg) bool {
	switch a.Base.Kind {
	case ArgN, Retval:
		return len(a.Hops) == 0 && a.Count == 0
	case StackPointer, StackN, Comm, Current:
		return true
	}
	return false
}

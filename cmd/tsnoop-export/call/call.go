// Package call has the calls that are exported, as both inputs give them: a recording, and the
// JSON lines of a trace.
package call

import (
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/tracefs"
)

// A Trace is where calls come from: a host between its start and its end.
type Trace struct {
	Name   string          // of the file, for messages
	Origin *tracefs.Origin // never nil; its fields may be empty. Its end is known at the end only
}

// A Func is a function or an event. The calls of a trace share it.
type Func struct {
	Name, Module string // Module is "" for the kernel itself
}

// An Item is a value that a spec asks for. Calls share it: outputs may use it as a key.
type Item struct {
	Name string // as asked for; "return" for the return value
	Type string // the C type, "" if that is not known
}

// Wide reports whether the C type is an unsigned number of 64 bits, by its name. Numbers of
// other types are of the kind json.Int, except those that a FORMAT has made unsigned.
func (i *Item) Wide() bool { return wide[i.Type] }

var wide = map[string]bool{
	"unsigned long": true, "long unsigned int": true, "unsigned long long": true, "long long unsigned int": true,
	"u64": true, "__u64": true, "uint64_t": true, "size_t": true, "__kernel_size_t": true, "__kernel_ulong_t": true, "uintptr_t": true,
	"sector_t": true, "blkcnt_t": true, "pgoff_t": true, "ino_t": true, "dma_addr_t": true, "phys_addr_t": true, "resource_size_t": true,
}

// A Value is the value of an item in a call.
type Value struct {
	*Item
	json.Typed
}

// A Fault says why a value, or a part of it, could not be read.
type Fault struct {
	Name []byte // of the item, with the path in it: "*p.line[1].x"
	Text []byte // "skb->dev=NULL"; may be empty
}

// A Call is one call of a function, or an event. It is valid, with all that it refers to
// except Trace, Func and Items, until the output returns: see Clone.
type Call struct {
	Trace *Trace
	Func  *Func

	Time uint64 // of the beginning, or of the end if the entry was not seen, in ns on the trace clock
	Wall int64  // the same in ns since 1970; 0 if that is not known
	CPU  int
	PID  int // process; -1 if it is not known
	TID  int
	Comm []byte // name of the task, any bytes; empty if it is not known

	Caller, CallerModule string // "" if it is not known

	Args    []Value // the values of the entry
	Return  Value   // no Item if it was not asked for or not seen
	Results []Value // other values of the return
	Faults  []Fault

	Ended    bool   // the return was seen, when and where
	End      uint64 // ns on the trace clock
	EndCPU   int
	Timed    bool   // entry and return were seen
	Duration uint64 // ns

	Orphan, Unfinished bool // the entry, or the return, was not seen

	Stack []string // of the kernel, innermost first: "func [module]"
}

// Errno returns the name of the error with which the call failed, "" if there is none.
func (c *Call) Errno() string { return c.Return.Errno }

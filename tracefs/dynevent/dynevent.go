// Package dynevent knows the kinds of events that can be defined while the kernel
// runs: in which file of tracefs, and how a definition begins. It is text only, for
// those that write definitions to a kernel and those that print them.
//
// See Documentation/trace/kprobetrace.rst.
package dynevent

import "strconv"

// A Kind is a kind of dynamic event. A new one is a row in kinds.
type Kind uint8

const (
	Kprobe    Kind = iota // when a function is entered
	Kretprobe             // when it returns
)

var kinds = [...]struct {
	name   string
	file   string // of definitions, in tracefs
	prefix string // of a definition
	counts bool   // the prefix may have a number behind it: how many calls are followed at a time
}{
	Kprobe:    {name: "kprobe", file: "kprobe_events", prefix: "p"},
	Kretprobe: {name: "kretprobe", file: "kprobe_events", prefix: "r", counts: true},
}

// Named is the kind of that name, false if there is none.
func Named(name string) (Kind, bool) {
	for i := range kinds {
		if kinds[i].name == name {
			return Kind(i), true
		}
	}
	return 0, false
}

func (k Kind) String() string { return kinds[k].name }

// File is the file of tracefs that definitions are written to and read from.
func (k Kind) File() string { return kinds[k].file }

// Head is what a definition begins with: "r16:GROUP/EVENT". active is how many
// calls an event of a return can follow at a time, 0 to leave it to the kernel.
func (k Kind) Head(group, event string, active int) string {
	prefix := kinds[k].prefix
	if kinds[k].counts && active > 0 {
		prefix += strconv.Itoa(active)
	}
	return prefix + ":" + group + "/" + event
}

// The kernel takes writes of definitions and of filters that are shorter than a page,
// or than its buffer of 4096 bytes (WRITE_BUFSIZE). Of a longer definition nothing is
// said in error_log.
const (
	MaxLine   = 4094 // bytes of a definition
	MaxFilter = 4094 // bytes of a filter
)

// Removal is the line that takes an event back.
func Removal(group, event string) string { return "-:" + group + "/" + event }

// Files are the files of all kinds, each once.
func Files() []string {
	var files []string
	for _, k := range kinds {
		if len(files) == 0 || files[len(files)-1] != k.file {
			files = append(files, k.file)
		}
	}
	return files
}

package report

import (
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
)

// Columns are the calls that are listed: a column for each thing that all of them have. Texts are
// numbers in a table, which has each once; 0 is the empty text.
type columns struct {
	at       []uint64 // int64 in ns from the start of the line
	duration []uint64 // ns
	function []uint32 // in functions
	task     []uint32 // in tasks
	cpu      []uint32
	endCPU   []uint32
	caller   []uint32 // text
	stack    []uint32 // in stacks
	errno    []uint32 // text
	flags    []uint32
	parts    []uint32 // of each call pairs of a part and a text
	end      []uint32 // of the call's parts

	texts     table[string]
	functions table[[2]uint32] // texts of name and module
	items     table[[2]uint32] // texts of name and type
	tasks     table[task]
	stacks    table[string] // texts of frames, four bytes each
	kept      int           // bytes of texts and stacks

	scratch []byte
}

// A task is a thread of a host. The same one under another name is another one.
type task struct {
	trace    int
	pid, tid int
	comm     uint32
}

// Flags of a call.
const (
	timed      = 1 << iota // its duration is known
	ended                  // its return was seen
	orphan                 // its entry was not seen
	unfinished             // its return was not seen
)

// Parts of a call. The number of an item is above partBits.
const (
	partArg       = iota // an argument; the text is its value
	partReturn           // the return value
	partResult           // another value of the return
	partLabel            // of the value before it: the name of a number
	partErrno            // the same: the name of an error
	partFault            // the name of a value, or the path in it, that could not be read
	partFaultText        // of the fault before it: why
	partBits      = 3
)

// A table has things once, in the order in which they were added.
type table[T comparable] struct {
	all  []T
	find map[T]uint32
}

func (t *table[T]) index(one T) uint32 {
	if i, ok := t.find[one]; ok {
		return i
	}
	if t.find == nil {
		t.find = map[T]uint32{}
	}
	i := uint32(len(t.all))
	t.all, t.find[one] = append(t.all, one), i
	return i
}

func newColumns() (c columns) {
	c.texts.index("")
	c.stacks.index("")
	return c
}

// add adds a call of a trace that begins at a time of the line.
func (c *columns) add(from *call.Call, at int64, trace int) {
	c.at, c.duration = append(c.at, uint64(at)), append(c.duration, from.Duration)
	c.function = append(c.function, c.functions.index([2]uint32{c.name(from.Func.Name), c.name(from.Func.Module)}))
	c.task = append(c.task, c.tasks.index(task{trace, from.PID, from.TID, c.text(from.Comm)}))
	c.cpu, c.endCPU = append(c.cpu, uint32(from.CPU)), append(c.endCPU, uint32(from.EndCPU))
	c.caller = append(c.caller, c.name(symbol(from.Caller, from.CallerModule)))
	c.stack = append(c.stack, c.frames(from.Stack))
	c.errno = append(c.errno, c.name(from.Errno()))
	c.flags = append(c.flags, flags(from))
	for i := range from.Args {
		c.value(partArg, &from.Args[i])
	}
	if from.Return.Item != nil {
		c.value(partReturn, &from.Return)
	}
	for i := range from.Results {
		c.value(partResult, &from.Results[i])
	}
	for _, f := range from.Faults {
		c.part(partFault, c.text(f.Name))
		c.part(partFaultText, c.text(f.Text))
	}
	c.end = append(c.end, uint32(len(c.parts)))
}

func flags(c *call.Call) (f uint32) {
	for _, is := range []struct {
		so   bool
		flag uint32
	}{{c.Timed, timed}, {c.Ended, ended}, {c.Orphan, orphan}, {c.Unfinished, unfinished}} {
		if is.so {
			f |= is.flag
		}
	}
	return f
}

func (c *columns) part(kind, text uint32) { c.parts = append(c.parts, kind, text) }

// value adds a value, with its label, if it has one, and its error.
func (c *columns) value(kind uint32, v *call.Value) {
	item := c.items.index([2]uint32{c.name(v.Name), c.name(v.Type)})
	c.scratch = appendValue(c.scratch[:0], v)
	c.part(item<<partBits|kind, c.known(c.scratch))
	if len(v.Label) > 0 {
		c.part(partLabel, c.text(v.Label))
	}
	if kind != partReturn && v.Errno != "" {
		c.part(partErrno, c.name(v.Errno))
	}
}

// text returns the number of a text, in which all that can do harm is escaped.
func (c *columns) text(b []byte) uint32 {
	c.scratch = appendText(c.scratch[:0], b)
	return c.known(c.scratch)
}

func (c *columns) name(s string) uint32 {
	if i, ok := c.texts.find[s]; ok && isPlain(s) {
		return i
	}
	c.scratch = appendText(c.scratch[:0], s)
	return c.known(c.scratch)
}

// known returns the number of a text that is escaped.
func (c *columns) known(b []byte) uint32 {
	if i, ok := c.texts.find[string(b)]; ok {
		return i
	}
	c.kept += len(b)
	return c.texts.index(string(b))
}

// frames returns the number of a stack.
func (c *columns) frames(stack []string) uint32 {
	const most = 1000 // the kernel has at most 127
	var key []byte
	for _, frame := range stack[:min(len(stack), most)] {
		n := c.name(frame)
		key = append(key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	if i, ok := c.stacks.find[string(key)]; ok {
		return i
	}
	c.kept += len(key)
	return c.stacks.index(string(key))
}

// size returns about how many bytes all of it takes.
func (c *columns) size() int {
	const row, entry = 2*8 + 9*4, 64
	entries := len(c.texts.all) + len(c.functions.all) + len(c.items.all) + len(c.tasks.all) + len(c.stacks.all)
	return row*cap(c.at) + 4*cap(c.parts) + entry*entries + c.kept
}

func symbol(name, module string) string {
	if module == "" {
		return name
	}
	return name + " [" + module + "]"
}

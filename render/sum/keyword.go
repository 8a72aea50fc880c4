package sum

import (
	"encoding/binary"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// Names for [Options].By that are not values of a call.
const (
	ByComm   = "comm"
	ByCaller = "caller"
	ByPID    = "pid"
	ByTID    = "tid"
	ByCPU    = "cpu"
	ByStack  = "stack"
	ByHost   = "host"
)

// A keyWord is one of these names.
type keyWord struct {
	name   string
	append func(t *tally, dst []byte, c *calls.Call) []byte // appends the key of a call
}

var keyWords = []keyWord{
	{ByComm, (*tally).appendComm},
	{ByCaller, (*tally).appendCaller},
	{ByPID, (*tally).appendPID},
	{ByTID, func(_ *tally, dst []byte, c *calls.Call) []byte { return appendKeyNumber(dst, c.First().TID) }},
	{ByCPU, func(_ *tally, dst []byte, c *calls.Call) []byte { return appendKeyNumber(dst, c.First().CPU) }},
	{ByStack, (*tally).appendFrames},
	{ByHost, func(t *tally, dst []byte, _ *calls.Call) []byte { return append(append(dst, keyText), t.host...) }},
}

// KeyWords returns the names that [Options].By can have besides values of calls.
func KeyWords() (names []string) {
	for _, w := range keyWords {
		names = append(names, w.name)
	}
	return names
}

// IsKeyWord reports whether name is one of KeyWords.
func IsKeyWord(name string) bool { return slices.Contains(KeyWords(), name) }

// keyWordOf returns the word of that name, nil if name is a value of a call.
func keyWordOf(name string) *keyWord {
	i := slices.IndexFunc(keyWords, func(w keyWord) bool { return w.name == name })
	if i < 0 {
		return nil
	}
	return &keyWords[i]
}

func appendKeyNumber(dst []byte, n int) []byte {
	return binary.LittleEndian.AppendUint64(append(dst, keyUint), uint64(n))
}

func (t *tally) appendComm(dst []byte, c *calls.Call) []byte {
	return append(append(dst, keyText), t.function.Comm(c)...)
}

func (t *tally) appendCaller(dst []byte, c *calls.Call) []byte {
	dst = append(dst, keyCaller)
	if addr := t.function.ReturnAddress(c); addr != 0 {
		dst = t.callers.Append(dst, addr, t.appendCallerName)
	}
	return dst
}

// appendCallerName appends the module and the name of a caller, nothing if it is not
// known.
func (t *tally) appendCallerName(dst []byte, addr uint64) []byte {
	by, ok := t.opts.ReturnsTo(addr)
	if !ok {
		return dst
	}
	return append(append(append(dst, by.Module...), 0), by.Name...)
}

func (t *tally) appendPID(dst []byte, c *calls.Call) []byte {
	if t.process != nil {
		if pid, ok := t.process(c.First().TID); ok {
			return appendKeyNumber(dst, pid)
		}
	}
	return append(dst, keyNone)
}

// appendFrames appends the functions on the stack, the innermost first, each after a
// newline.
func (t *tally) appendFrames(dst []byte, c *calls.Call) []byte {
	stack := render.StackOf(c)
	if len(stack) == 0 {
		return append(dst, keyNone)
	}
	dst = append(dst, keyStack)
	for i, addr := range stack {
		dst = t.frames.Append(append(dst, '\n'), i, addr)
	}
	return dst
}

// plainNumber is how the number of a process, thread or CPU is shown.
func plainNumber(name string, o *render.Options) *render.Field {
	return render.NewField(&value.Field{Label: name, Encoding: value.Integer, Size: 8, Format: "u"}, false, o)
}

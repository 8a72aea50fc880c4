package render

import (
	"bytes"
	"strconv"

	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// commWidth is the width of the COMM-TID column.
const commWidth = 18

// A taskText is what a line says of the task, as it was last; mostly it is so
// again.
type taskText struct {
	comm []byte
	tid  int
	text []byte
}

func (t *taskText) append(dst, comm []byte, tid int, write func(dst, comm []byte, tid int) []byte) []byte {
	if t.tid != tid || !bytes.Equal(t.comm, comm) || t.text == nil {
		t.comm, t.tid = append(t.comm[:0], comm...), tid
		t.text = write(t.text[:0], comm, tid)
	}
	return append(dst, t.text...)
}

// appendTask appends the column COMM-TID.
func appendTask(dst, comm []byte, tid int) []byte {
	start := len(dst)
	return append(padRight(appendTaskName(dst, comm, tid), start, commWidth), ' ')
}

// appendTaskName appends "COMM-TID".
func appendTaskName(dst, comm []byte, tid int) []byte {
	return strconv.AppendInt(append(appendEscaped(dst, comm, noQuote), '-'), int64(tid), 10)
}

// comm is the name of the task that made the call.
func (src *source) comm(c *calls.Call) []byte {
	if e := c.Entry; e != nil && src.entry.probe != nil && src.entry.probe.Comm >= 0 {
		if text := src.entry.dec.Text(src.entry.probe.Comm, e.Data); text != nil {
			return text
		}
	}
	if e := c.Return; e != nil && src.ret.probe != nil && src.ret.probe.Comm >= 0 {
		if text := src.ret.dec.Text(src.ret.probe.Comm, e.Data); text != nil {
			return text
		}
	}
	if c.Entry != nil {
		return c.Entry.Comm
	}
	return c.Return.Comm
}

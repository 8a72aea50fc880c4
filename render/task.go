package render

import "bytes"

// A TaskCache keeps what was written about the task of the call before; mostly
// the next is of the same.
type TaskCache struct {
	comm []byte
	tid  int
	text []byte
}

// Append appends what write says of a task.
func (t *TaskCache) Append(dst, comm []byte, tid int, write func(dst, comm []byte, tid int) []byte) []byte {
	if t.tid != tid || !bytes.Equal(t.comm, comm) || t.text == nil {
		t.comm, t.tid = append(t.comm[:0], comm...), tid
		t.text = write(t.text[:0], comm, tid)
	}
	return append(dst, t.text...)
}

package render

import "bytes"

// A TaskCache caches the text for the task of the last call; mostly the next call is of
// the same task.
type TaskCache struct {
	comm []byte
	tid  int
	text []byte
}

// Append appends the text that write appends for a task.
func (t *TaskCache) Append(dst, comm []byte, tid int, write func(dst, comm []byte, tid int) []byte) []byte {
	if t.tid != tid || !bytes.Equal(t.comm, comm) || t.text == nil {
		t.comm, t.tid = append(t.comm[:0], comm...), tid
		t.text = write(t.text[:0], comm, tid)
	}
	return append(dst, t.text...)
}

package tasks

import (
	"encoding/binary"
	"errors"

	"github.com/tsnoop/tsnoop/tracefs"
)

// NewTasks decodes the events that the kernel records for tasks that are started.
type NewTasks struct {
	order      binary.ByteOrder
	format     *tracefs.Format
	pid, flags *tracefs.FormatField
}

// ErrNoNewTasks says that threads and children cannot be distinguished.
var ErrNoNewTasks = errors.New("the event for new tasks is not as expected: threads cannot be distinguished from children")

// NewTasksOf returns what decodes events of format f.
func NewTasksOf(f *tracefs.Format, order binary.ByteOrder) (NewTasks, error) {
	n := NewTasks{order: order, format: f, pid: f.Field("pid"), flags: f.Field("clone_flags")}
	if n.pid == nil || n.flags == nil || n.pid.Size != 4 {
		return NewTasks{}, ErrNoNewTasks
	}
	return n, nil
}

// has reports whether e is the event of a new task.
func (n *NewTasks) has(e *tracefs.Event) bool { return n.format != nil && e.Format.ID == n.format.ID }

// started returns the ID of the task that e has started, and whether it is a thread of the
// process that has started it.
func (n *NewTasks) started(e *tracefs.Event) (tid int, thread, ok bool) {
	if !n.has(e) || len(e.Data) < max(n.pid.Offset+4, n.flags.Offset+4) {
		return 0, false, false
	}
	return int(n.order.Uint32(e.Data[n.pid.Offset:])), n.cloneFlags(e.Data)&tracefs.CloneThread != 0, true
}

// cloneFlags returns the lower half of an unsigned long.
func (n *NewTasks) cloneFlags(data []byte) uint32 {
	data = data[n.flags.Offset:]
	if n.flags.Size == 8 && len(data) >= 8 {
		return uint32(n.order.Uint64(data))
	}
	return n.order.Uint32(data)
}

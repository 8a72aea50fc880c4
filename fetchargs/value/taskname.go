package value

import "encoding/binary"

// A task in a record is its name, in 16 bytes as in struct task_struct, and its ID in 8
// bytes. If the task is not known, all bits of the ID are set.
const (
	taskName = 16 // TASK_COMM_LEN of the kernel
	noTask   = 1<<64 - 1

	// TaskSize is the size of a task in a record, in bytes.
	TaskSize = taskName + 8
)

// A TaskName is the name of a task, followed by NULs.
type TaskName [taskName]byte

// NameOf returns the name of a task as a TaskName, cut to its size.
func NameOf(comm []byte) (name TaskName) {
	copy(name[:taskName-1], comm)
	return name
}

// PutTask stores a task in TaskSize bytes of a record.
func PutTask(b []byte, order binary.ByteOrder, name TaskName, tid int) {
	copy(b, name[:])
	order.PutUint64(b[taskName:], uint64(uint32(tid)))
}

// PutNoTask stores in TaskSize bytes of a record that the task is not known.
func PutNoTask(b []byte, order binary.ByteOrder) {
	clear(b[:taskName])
	order.PutUint64(b[taskName:], noTask)
}

// task returns the value of a Who.
func (d *Decoder) task(f *Field, data []byte) Value {
	s := d.slots[f.Arg]
	if s.Size != TaskSize || s.Offset+TaskSize > len(data) {
		return Value{}
	}
	b := data[s.Offset : s.Offset+TaskSize]
	id := Load(b[taskName:], d.big)
	if id == noTask {
		return Value{}
	}
	return Value{Kind: Text, Bytes: UntilNUL(b[:taskName]), Uint: id}
}

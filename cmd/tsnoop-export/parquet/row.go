package parquet

import (
	"encoding/binary"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/render/json"
)

// Bits of the first byte of a row, and of the byte before a value.
const (
	hasWall = 1 << iota
	hasEnd
	hasDuration
	isOrphan
	isUnfinished

	kindBits = 7
	hasLabel = 8
)

// appendRow appends a call. Rows wait in this form, in memory or in the spill file, until they
// are written as columns. slot returns the column of a value.
func appendRow(b []byte, c *call.Call, slot func(where place, nth int, v *call.Value) int) []byte {
	var flags byte
	set := func(is bool, bit byte) {
		if is {
			flags |= bit
		}
	}
	set(c.Wall != 0, hasWall)
	set(c.Ended, hasEnd)
	set(c.Timed, hasDuration)
	set(c.Orphan, isOrphan)
	set(c.Unfinished, isUnfinished)
	b = append(b, flags)
	b = binary.LittleEndian.AppendUint64(b, c.Time)
	if c.Wall != 0 {
		b = binary.LittleEndian.AppendUint64(b, uint64(c.Wall))
	}
	if c.Timed {
		b = binary.LittleEndian.AppendUint64(b, c.Duration)
	}
	if c.Ended {
		b = binary.AppendVarint(b, int64(c.EndCPU))
	}
	b = binary.AppendVarint(b, int64(c.CPU))
	b = binary.AppendVarint(b, int64(c.PID))
	b = binary.AppendVarint(b, int64(c.TID))
	b = appendBytes(b, c.Comm)
	b = appendBytes(b, c.Caller)
	b = appendBytes(b, c.CallerModule)
	b = appendBytes(b, c.Errno())

	n := len(c.Args) + len(c.Results)
	if c.Return.Item != nil {
		n++
	}
	b = binary.AppendUvarint(b, uint64(n))
	if c.Return.Item != nil {
		b = appendValue(b, slot(inReturn, 0, &c.Return), &c.Return)
	}
	for i := range c.Args {
		b = appendValue(b, slot(inArgs, i, &c.Args[i]), &c.Args[i])
	}
	for i := range c.Results {
		b = appendValue(b, slot(inResults, i, &c.Results[i]), &c.Results[i])
	}
	b = binary.AppendUvarint(b, uint64(len(c.Faults)))
	for _, f := range c.Faults {
		b = appendBytes(appendBytes(b, f.Name), f.Text)
	}
	b = binary.AppendUvarint(b, uint64(len(c.Stack)))
	for _, frame := range c.Stack {
		b = appendBytes(b, frame)
	}
	return b
}

func appendValue(b []byte, slot int, v *call.Value) []byte {
	b = binary.AppendUvarint(b, uint64(slot))
	if slot == overflow {
		b = appendBytes(b, v.Name)
	}
	head := byte(v.Kind)
	if len(v.Label) > 0 {
		head |= hasLabel
	}
	b = append(b, head)
	switch v.Kind {
	case json.Bool, json.Int, json.Uint:
		b = binary.LittleEndian.AppendUint64(b, v.Number)
	case json.Text, json.Bytes, json.Tree:
		b = appendBytes(b, v.Text)
	}
	if len(v.Label) > 0 {
		b = appendBytes(b, v.Label)
	}
	return b
}

func appendBytes[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// A reader takes rows apart. They are this program's own, so that they are whole.
type reader struct{ b []byte }

func (r *reader) byte() byte {
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) fixed() uint64 {
	x := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return x
}

func (r *reader) varint() int64 {
	x := r.uvarint()
	return int64(x>>1) ^ -int64(x&1)
}

func (r *reader) uvarint() uint64 {
	if c := r.b[0]; c < 0x80 {
		r.b = r.b[1:]
		return uint64(c)
	}
	x, n := binary.Uvarint(r.b)
	r.b = r.b[n:]
	return x
}

// bytes returns a text, which is valid as long as the rows are.
func (r *reader) bytes() []byte {
	n := r.uvarint()
	text := r.b[:n:n]
	r.b = r.b[n:]
	return text
}

// value returns the next value, with its name if it has no column.
func (r *reader) value() (slot int, name []byte, v json.Typed) {
	if slot = int(r.uvarint()); slot == overflow {
		name = r.bytes()
	}
	head := r.byte()
	v.Kind = json.TypedKind(head & kindBits)
	switch v.Kind {
	case json.Bool, json.Int, json.Uint:
		v.Number = r.fixed()
	case json.Text, json.Bytes, json.Tree:
		v.Text = r.bytes()
	}
	if head&hasLabel != 0 {
		v.Label = r.bytes()
	}
	return slot, name, v
}

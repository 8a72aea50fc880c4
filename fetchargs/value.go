package fetchargs

// Kind says what a Value holds.
type Kind uint8

const (
	None  Kind = iota // not fetched
	Uint              // Uint, unsigned
	Int               // Uint reinterpreted as int64
	Text              // Bytes, without the final NUL
	Bytes             // Bytes, Field.Count elements of Field.Size bytes in kernel order
	Fault             // could not be read; Guard tells through which pointer
)

// A Value is one decoded field. Bytes points into the event's record and is
// valid as long as that is.
type Value struct {
	Kind  Kind
	Uint  uint64
	Bytes []byte
	Guard *Guard // for Fault: the pointer that could not be followed, nil if not known
	Addr  uint64 // for Fault: the value of that pointer
}

// Package value turns the bytes of a record into typed values: encodings, FORMATs,
// sign, byte order, error numbers, and the pointers that must be believed first.
package value

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
	Why   Why    // for Fault: what is wrong with it
}

// A Why says what is wrong with a pointer.
type Why uint8

const (
	BadAddress  Why = iota // nothing can be there, or the kernel says no more
	NotInMemory            // user memory that was not there when the kernel looked
	Unproven               // user memory, and the record does not tell whether it was there
	EmptyOrAway            // user memory with an empty string, or that was not there
)

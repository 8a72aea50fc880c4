// Package value turns the bytes of a record into typed values: encodings, FORMATs,
// sign, byte order, error numbers, and the pointers that must be believed first.
package value

// Kind says what a Value holds.
type Kind uint8

const (
	None   Kind = iota // not fetched
	Uint               // Uint, unsigned
	Int                // Uint reinterpreted as int64
	Text               // Bytes, without the final NUL
	Bytes              // Bytes of memory: what they mean, an array too, the Type knows
	List               // Parts, the elements of an array
	Struct             // Parts, one for each of the Type's Members
	Fault              // could not be read; Guard tells through which pointer, and Uint is that pointer
	Dump               // Object, as it lies in memory
)

// A Value is one decoded field, or a part of one. Together with its [Type] it is a
// tree, which [View.Walk] goes through. Bytes points into the event's record and is valid
// as long as that is.
type Value struct {
	Kind  Kind
	Why   Why // for Fault: what is wrong with it; for Text: what is not sure, if not 0; here, for a smaller Value is faster returned
	Uint  uint64
	Bytes []byte
	Parts *Parts
	Guard *Guard // for Fault: the pointer that could not be followed, nil if not known
	// With Object these are nine words, which a function returns in registers.
	Object *Object
}

// Parts are the elements of an array, or the members of a struct. A Value has but a
// pointer to them, for most have none and are to fit into registers.
type Parts []Value

// A Why says what is wrong with a pointer, or with a string.
type Why uint8

const (
	BadAddress  Why = iota // nothing can be there, or the kernel says no more
	NotInMemory            // user memory that was not there when the kernel looked
	Unproven               // user memory, and the record does not tell whether it was there
	EmptyOrAway            // user memory with an empty string, or that was not there

	MaybeNext   // of copied text: it may be the next string's, for a pointer on the way could not be followed
	MaybeLonger // of copied text: where it begins or ends is not sure
)

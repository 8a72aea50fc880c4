// Package value turns the bytes of a record into typed values. It knows encodings,
// FORMATs, sign, byte order and error numbers, and checks the pointers through which a
// value was read.
package value

// A Kind says what a Value holds.
type Kind uint8

const (
	None   Kind = iota // not fetched
	Uint               // Uint, unsigned
	Int                // Uint reinterpreted as int64
	Text               // Bytes, without the final NUL; for the Form Task, Uint is its ID
	Bytes              // Bytes of memory, an array too; the Type says what they mean
	List               // Parts, the elements of an array
	Struct             // Parts, one for each of the Type's Members
	Fault              // could not be read through Pointer, whose value is Uint
	Dump               // Object, the memory of an object
)

// A Value is one decoded field, or a part of one. Together with its [Type] it is a tree,
// which [View.Walk] visits. Bytes points into the record of the event and is valid as
// long as the record.
type Value struct {
	Kind    Kind
	Reason  FaultReason // for None and Fault: what is wrong; for Text and Bytes: what is uncertain; for Uint and Int: see Type.Of; it is here to keep Value small
	Uint    uint64      // also, for Bytes that are cut, how many there are in all; 0 if the type says it
	Bytes   []byte
	Parts   *Parts
	Pointer *PointerCheck // for Fault: the pointer that could not be followed, nil if not known
	// With Object, a Value has nine words, which a function returns in registers.
	Object *Object
}

// Parts are the elements of an array, or the members of a struct. A Value has only a
// pointer to them, because most values have none and should fit into registers.
type Parts []Value

// A FaultReason says what is wrong with a pointer or a string.
type FaultReason uint8

const (
	BadAddress  FaultReason = iota // there is no memory at the address, or the kernel says no more
	NotInMemory                    // user memory that was not there when the kernel looked
	Unproven                       // user memory; the record does not show whether it was there
	EmptyOrAway                    // user memory that held an empty string or was not there

	NoRoom // text that is too long for a record
	Unused // for None: a parameter that the call does not use

	CutOff      // text that goes on: the record has only its beginning
	MaybeNext   // copied text: it may be the text of the next string, if a pointer could not be followed
	MaybeLonger // copied text: where it begins or ends is uncertain
)

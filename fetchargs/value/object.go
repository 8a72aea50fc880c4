package value

// An Object is the memory of a C object as it was fetched. It is valid as long as
// the event's record, or until its [Joint] makes the next one.
type Object struct {
	Bytes  []byte  // from its beginning, at most Whole
	Whole  int     // bytes it has in memory
	Addr   uint64  // where it is, 0 if that is not known
	Absent []Range // of Bytes, what could not be read, ascending; there Bytes means nothing
}

// A Range is a part of an object, in bytes from its beginning; End is behind it.
type Range struct{ Start, End int }

// MostOfObject is how many bytes of an object are fetched at most.
const MostOfObject = 16 << 10

// An Extent is a stretch of an object that one record has. The first one of an object
// may be empty; the others are fields that are not shown.
type Extent struct {
	At   int // bytes from the object's beginning
	Args int // how many from Field.Arg on have it, one behind the other; 0 if it is empty
	Off  int // bytes from where the last guard points to the object's beginning

	// Windows tell which pages could be read: numbers that cannot be read leave old
	// memory in their place, each element of an array by itself.
	Windows []Window

	// Rest are the others, of the first one only. They ascend.
	Rest []Place
}

// A Window is memory of which a proof tells whether it could be read.
type Window struct {
	Range
	Proof *Proof
}

// A Place is a field of one of a side's probes.
type Place struct{ Part, Field int }

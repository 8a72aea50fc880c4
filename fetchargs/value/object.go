package value

// An Object is the memory of a C object as it was fetched. It is valid as long as the
// record of the event, or until its [ObjectAssembler] makes the next one.
type Object struct {
	Bytes  []byte  // from its beginning, at most Whole
	Whole  int     // size in memory, in bytes
	Addr   uint64  // its address, 0 if not known
	Absent []Range // parts of Bytes that could not be read, ascending; their content means nothing
}

// A Range is a part of an object, in bytes from its beginning. End is exclusive.
type Range struct{ Start, End int }

// MostOfObject is the most bytes of an object that are fetched.
const MostOfObject = 16 << 10

// An Extent is a stretch of an object in one record. The first one of an object may be
// empty; the others belong to fields that are not shown.
type Extent struct {
	At   int // bytes from the beginning of the object
	Args int // number of args that hold it, from Field.Arg on; 0 if it is empty
	Off  int // bytes from where the last pointer points to the beginning of the object

	Addr uint64 // address of an object without a pointer; 0 if not known

	// Windows show which pages could be read: a number that cannot be read leaves old
	// memory in its place, and so does each element of an array.
	Windows []Window

	// Rest are the other stretches, ascending. Only the first stretch has them.
	Rest []Place
}

// A Window is a range of memory with a check that shows whether it could be read.
type Window struct {
	Range
	ReadCheck *ReadCheck
}

// A Place is a field of one of the probes of a side.
type Place struct{ Part, Field int }

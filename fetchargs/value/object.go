package value

// An Object is the memory of a C object as it was fetched. It is valid as long as
// the event's record, or until its decoder is asked for the next one.
type Object struct {
	Bytes  []byte  // from its beginning, at most Whole
	Whole  int     // bytes it has in memory
	Addr   uint64  // where it is, 0 if that is not known
	Absent []Range // of Bytes, what could not be read, ascending; there Bytes means nothing
}

// A Range is a part of an object, in bytes from its beginning; End is behind it.
type Range struct{ Start, End int }

package tracedat

import (
	"errors"
	"fmt"
)

var (
	// ErrNotTrace is wrapped by Open's error about a file of another kind.
	ErrNotTrace = errors.New("not a trace.dat file")
	// ErrUnsupported is wrapped by errors about a version of the format or a
	// compression that this package does not know.
	ErrUnsupported = errors.New("unsupported")
	// ErrTruncated is wrapped by errors about a file that ends too early.
	ErrTruncated = errors.New("file is cut off")
	// ErrDamaged is wrapped by errors about bytes that make no sense, or that
	// would take more memory than any sound file needs.
	ErrDamaged = errors.New("file is damaged")
)

// An Error says what is wrong with a file, and where. It wraps one of the
// package's sentinels, or the error of a read.
type Error struct {
	What   string // what was being read, such as "kallsyms"
	Offset int64  // of the byte in the file; of a compressed section the first
	Err    error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s at byte %d: %v", e.What, e.Offset, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

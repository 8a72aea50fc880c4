package tracedat

import (
	"errors"
	"fmt"
)

var (
	// ErrNotTrace is wrapped by Open's error if the file is not a trace.dat file.
	ErrNotTrace = errors.New("not a trace.dat file")
	// ErrUnsupported is wrapped by errors about a version of the format, or a
	// compression, that this package does not support.
	ErrUnsupported = errors.New("unsupported")
	// ErrTruncated is wrapped by errors about a file that ends too early.
	ErrTruncated = errors.New("file is cut off")
	// ErrDamaged is wrapped by errors about bytes that make no sense, or that would
	// take more memory than any intact file needs.
	ErrDamaged = errors.New("file is damaged")
	// ErrSecond is wrapped by errors about a file of several recordings.
	ErrSecond = errors.New("only the first recording in a file is read")
)

// An Error says what is wrong with a file, and where. It wraps one of the package's
// errors, or that of a read.
type Error struct {
	What   string // what was being read, such as "kallsyms"
	Offset int64  // byte offset in the file; in a compressed section that of its start
	Err    error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s at byte %d: %v", e.What, e.Offset, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

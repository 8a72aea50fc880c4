// Package output has the interface that each output implements. The outputs are packages
// beside it.
package output

import (
	"context"
	"io"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
)

// An Output writes calls to where a team looks. One goroutine calls its methods: for each
// trace Begin, then Call and Loss in the order of the trace, then End; after all traces Close.
// Traces overlap if the input is the replay of several recordings on one time line.
// The first error ends the reading, and Close follows.
//
// An argument is valid until the method returns, unless it says so. One that
// collects calls and encodes or sends them in goroutines of its own clones them, or copies
// what it needs; its methods return early with the first error of these goroutines. One that
// sends calls to a program that may hang bounds what it keeps, and counts what it gives up.
type Output interface {
	Begin(*call.Trace) error // the Trace stays valid
	Call(*call.Call) error
	Loss(*call.Loss) error
	End(*call.Trace) error

	// Close writes the rest. missing says why the calls are not all of those that the
	// inputs have, nil if they are: context.Canceled if the user has interrupted the
	// export, otherwise an error of an input, which what is written must not hide. If
	// calls did not arrive, its error says how many, after how many retries and why: the
	// exit status is then 1.
	Close(missing error) error
}

// To is what each output is made with.
type To struct {
	Context context.Context // canceled when the user interrupts the export
	W       io.Writer       // stdout, or the file of --output
	Warn    func(format string, args ...any)
	Live    bool   // an input is a pipe, whose writer loses events while it has to wait
	Version string // of this program
}

// Package sum adds up calls: how many there were, how long they took, which errors they
// returned, and the numbers in them, for each function or for each value of a key. Outputs
// only lay out what its rows contain.
package sum

import "github.com/tsnoop/tsnoop/render"

// A Sink is an output that also shows summaries.
type Sink interface {
	render.Sink

	// Summary shows a summary of the calls.
	Summary(dst []byte, s *Summary) []byte
}

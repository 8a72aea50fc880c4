package replay

import (
	"github.com/tsnoop/tsnoop/fetchargs/measure"
	"github.com/tsnoop/tsnoop/tracefs"
)

// Options says what to read of a recording, or of text. The zero value reads all
// calls.
type Options struct {
	Name  string // the file's name, for messages
	Begin bool   // also yield calls when they begin
	Chain bool   // yield only calls in which the first plan's function led to the second's, and so on
	Warn  func(tracefs.Warning)
	Choice

	// Not for OpenText: its plans are given, and text has no stacks.
	Specs    []string           // selects from what was recorded; empty for everything
	Pair     bool               // with Specs: every call needs its entry and its return
	Measures []*measure.Measure // what calls are aggregated by
	Stacks   bool               // yield kernel stacks, which must have been recorded
	AnyStack bool               // yield kernel stacks if there are some
	Process  bool               // Process will be asked: it learns from all earlier events
	Symbols  bool               // most calls will need Symbol: read the symbols in the background now
	Shared   *Shared            // of recordings that are read at once; nil for one alone
}

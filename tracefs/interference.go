package tracefs

// An Interference is what another program has done to a running trace, so that it may
// show less than it should, or something else. It also reports that this is over.
type Interference struct {
	Text string // a sentence for the user; may contain bytes from the kernel or a file

	File          string // absolute path of the file that was changed, "" if not known
	Func          string // the function whose probe is affected, "" for the whole trace
	Before, After string // what was in the file and what is now; "" if there is nothing to compare
	Restored      bool   // the change was undone

	Cost Cost
}

// A Cost is how many events interference has cost.
type Cost struct {
	Reported bool // the cost was determined, at the end of the interference or so far
	Exact    bool // the kernel has counted them, and Events is exact
	AtMost   bool // Events is an upper bound
	Events   uint64
}

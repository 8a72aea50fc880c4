package tracefs

// An Interference is what another program has done to a trace that runs, by which it may
// show less, or other things, than it was to; or that it is over.
type Interference struct {
	Text string // a sentence, as it is told; it may have bytes of the kernel's or a file's

	File    string // by which, an absolute path; "" if that is not known
	Func    string // whose probe is concerned; "" for the whole trace
	Was, Is string // what was in the file, and what is now; "" if there is nothing to compare
	Rearmed bool   // it was set back

	Cost Cost
}

// A Cost is how many events interference has cost.
type Cost struct {
	Told   bool // the interference is over, or goes on with this so far
	Known  bool // the kernel has counted, and Events is exact
	AtMost bool // or it is no more than Events
	Events uint64
}

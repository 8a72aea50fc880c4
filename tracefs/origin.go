package tracefs

// An Origin says where and when a trace was made. Fields that are not known are empty.
// Recordings store it as JSON.
type Origin struct {
	Host      string   `json:"host,omitempty"`       // nodename of uname(2)
	MachineID string   `json:"machine_id,omitempty"` // machine-id(5)
	BootID    string   `json:"boot_id,omitempty"`    // random(4)
	Kernel    string   `json:"kernel,omitempty"`     // release of uname(2)
	Arch      string   `json:"arch,omitempty"`       // machine of uname(2)
	Recorder  string   `json:"recorder,omitempty"`   // "tsnoop v1.2.3"
	Specs     []string `json:"specs,omitempty"`
	Clock     string   `json:"clock,omitempty"` // trace clock
	Began     *Moment  `json:"began,omitempty"`
	Ended     *Moment  `json:"ended,omitempty"` // nil while the trace runs, and if the recorder was killed
}

// A Moment is the same time on two clocks.
type Moment struct {
	Wall  int64  `json:"wall_ns"`  // ns since 1970
	Trace uint64 `json:"trace_ns"` // ns on the trace clock
	// MaxError is how far the wall clock may be off in ns, as the kernel says; nil if it
	// does not. See maxerror in adjtimex(2).
	MaxError *int64 `json:"max_error_ns"`
	// Synced says that the kernel takes the wall clock for synchronized.
	Synced bool `json:"synchronized"`
}

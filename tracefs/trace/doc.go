// Package trace is the engine of tsnoop: specs become plans, plans are armed on a
// machine, and what the kernel records becomes calls with typed values.
//
//	m := trace.NewMachine(fs)
//	plans, err := m.Plan([]string{"vfs_read(count, return)"}, trace.PlanOptions{})
//	t, err := m.Arm(ctx, plans, trace.Options{})
//	for call, err := range t.Calls(ctx) {
//		for field, v := range t.Values(call) {
//		}
//	}
//	lost := t.Losses()
//	err = t.Close()
//
// A recording is read in the same way: see [Open]. [Recorder] makes one.
//
// The package knows no command line, prints nothing and ends nothing. Specs that are
// wrong, or that the kernel refuses, come as a spec.Errors, whose errors have the place
// in the text; what the machine lacks comes as a *tracefs.MachineError. What does not
// end a trace is told as a [Warning].
package trace

// Package trace is the engine of tsnoop. It arms plans, which package host makes of
// specs, and turns what the kernel records into calls with typed values.
//
//	h := host.New(fs)
//	plans, err := h.Plan([]string{"vfs_read(count, return)"}, host.PlanOptions{})
//	t, err := trace.Arm(ctx, h, plans, trace.Options{})
//	for call, err := range t.Calls(ctx) {
//		for field, v := range t.Values(call) {
//		}
//	}
//	lost := t.Losses()
//	err = t.Close()
//
// Package replay reads a recording in the same way. [Trace.Record] makes one.
//
// The package knows no command line, never prints and never exits. Specs that are wrong, or
// that the kernel refuses, are returned as a spec.Errors; each of its errors has the position
// in the text. A feature that the host lacks is returned as a *tracefs.HostError. A problem
// that does not end a trace is reported as a [tracefs.Warning].
package trace

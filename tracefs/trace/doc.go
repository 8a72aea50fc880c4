// Package trace is the engine of tsnoop: specs become plans, plans are armed on a
// machine, and its events become calls.
//
//	m := trace.NewMachine(fs)
//	plans, err := m.Plan([]string{"vfs_read(count, return)"}, trace.PlanOptions{})
//
// It knows no command line and writes nothing anywhere.
package trace

package tracefs

import (
	"slices"
	"strings"
)

// A Inventory counts what there is in a tracefs. It does not name the probes and
// instances.
type Inventory struct {
	Probes, OwnProbes       int // kprobe events of others and of tsnoop
	Instances, OwnInstances int
	Tracer                  string   // current_tracer: "nop"
	Refusals                []string // the kernel's messages about tsnoop's own definitions, oldest first
}

// Inventory counts the probes and instances. It takes what cannot be read as absent.
func (fsys *FS) Inventory() Inventory {
	var c Inventory
	probes, _ := read(fsys, KprobeEvents, ParseProbes)
	for _, p := range probes {
		count(p.Group, &c.Probes, &c.OwnProbes)
	}
	instances, _ := fsys.names("instances")
	for _, name := range instances {
		count(name, &c.Instances, &c.OwnInstances)
	}
	tracer, _ := fsys.ReadValue("current_tracer")
	c.Tracer = strings.TrimSpace(string(tracer))
	refusals, _ := read(fsys, "error_log", ParseErrorLog)
	for _, e := range refusals {
		if own(e.Command) && !slices.Contains(c.Refusals, e.Text) {
			c.Refusals = append(c.Refusals, e.Text)
		}
	}
	return c
}

func count(name string, others, ours *int) {
	if ownName(name) {
		*ours++
	} else {
		*others++
	}
}

// own reports whether a definition is in a group of ours: "p:tsnoop_17/ip_rcv ip_rcv".
func own(definition string) bool {
	_, name, _ := strings.Cut(definition, ":")
	group, _, ok := strings.Cut(name, "/")
	return ok && ownName(group)
}

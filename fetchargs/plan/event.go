package plan

import "strings"

// System returns the system that the probe's event belongs to, and its name there. group is
// the group of the run.
func (p *Probe) System(group string) (system, name string) {
	if system, name, ok := strings.Cut(p.Event, "/"); ok {
		return system, name
	}
	return group, p.KernelEvent()
}

// Existing returns the event that the kernel has by itself at the probe's place, "SYSTEM/EVENT".
func (p *Probe) Existing() string { return strings.Replace(p.Symbols[0], ":", "/", 1) }

// EventDir returns the folder of the probe's event, relative to that of tracefs or of an
// instance.
func (p *Probe) EventDir(group string) string {
	system, name := p.System(group)
	return "events/" + system + "/" + name
}

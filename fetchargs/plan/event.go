package plan

// System returns the system that the probe's event belongs to, and its name there. group is
// the group of the run.
func (p *Probe) System(group string) (system, name string) { return group, p.Event }

// EventDir returns the folder of the probe's event, relative to that of tracefs or of an
// instance.
func (p *Probe) EventDir(group string) string {
	system, name := p.System(group)
	return "events/" + system + "/" + name
}

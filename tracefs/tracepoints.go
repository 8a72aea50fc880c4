package tracefs

import (
	"path"
	"strings"
)

// Systems returns the systems that events belong to, except groups of tsnoop.
func (fs *FS) Systems() []string {
	names, _ := fs.names("events")
	var systems []string
	for _, name := range names {
		if !ownName(name) && fs.Exists(path.Join("events", name, "enable")) {
			systems = append(systems, name)
		}
	}
	return systems
}

// SystemEvents returns the events of a system that can be recorded, nil if there is no such
// system. The events of ftrace itself cannot: they have no file enable.
func (fs *FS) SystemEvents(system string) []string {
	if system == "" || system == "." || strings.Contains(system, "/") || ownName(system) || !fs.Exists(path.Join("events", system, "enable")) {
		return nil
	}
	names, _ := fs.names(path.Join("events", system))
	events := []string{}
	for _, name := range names {
		if name != "enable" && name != "filter" && fs.Exists(path.Join("events", system, name, "enable")) {
			events = append(events, name)
		}
	}
	return events
}

// EventFormat returns the format of an event of a system.
func (fs *FS) EventFormat(system, event string) (*Format, error) {
	f, err := read(fs, path.Join("events", system, event, "format"), ParseFormat)
	if err == nil {
		f.Group = system
	}
	return f, err
}

package tracefs

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
)

// Format returns the format of an event's records.
func (s *Session) Format(event string) (*Format, error) {
	formats, err := s.Formats([]string{event}, func(string) string { return "" })
	if err != nil {
		return nil, err
	}
	return formats[event], nil
}

// Formats returns the formats of several events. Events with the same fields are those
// for which shape returns the same text. Formats reads one format for each shape and
// only the ID of the other events, which takes a fraction of the time. They share their
// Fields.
func (s *Session) Formats(events []string, shape func(event string) string) (map[string]*Format, error) {
	systems := systemDirs{s: s, open: map[string]*FS{}}
	defer systems.close()
	known := make(map[string]*Format)
	formats := make(map[string]*Format, len(events))
	defer func() { s.learnIDs(formats) }()
	for _, id := range events {
		fs, event, err := systems.of(id)
		if err != nil {
			return nil, err
		}
		key := shape(id)
		if alike := known[key]; alike != nil {
			f := *alike
			f.Name = event
			if f.ID, err = fs.eventID(event); err == nil {
				formats[id] = &f
				continue
			} else if !errors.Is(err, os.ErrNotExist) { // as without CONFIG_PERF_EVENTS
				return nil, err
			}
		}
		f, err := read(fs, path.Join(event, "format"), ParseFormat)
		if err != nil {
			return nil, err
		}
		f.Group = path.Base(fs.dir)
		formats[id], known[key] = f, f
	}
	return formats, nil
}

// systemDirs are the folders of the systems of a session's events. They stay open while many
// events are looked up, because the way to each is long.
type systemDirs struct {
	s    *Session
	open map[string]*FS
}

// of returns the folder of an event's system, and the event's name in it.
func (d *systemDirs) of(event string) (*FS, string, error) {
	system, name := path.Split(d.s.eventDir(event))
	if fs := d.open[system]; fs != nil {
		return fs, name, nil
	}
	dir := d.s.path(system)
	root, err := d.s.fs.root.OpenRoot(dir)
	if err != nil {
		return nil, "", err
	}
	d.open[system] = &FS{root: root, dir: d.s.absolute(dir)}
	return d.open[system], name, nil
}

func (d *systemDirs) close() {
	for _, fs := range d.open {
		fs.root.Close()
	}
}

// StackFormat returns the format of the records that hold stacks.
func (s *Session) StackFormat() (*Format, error) {
	return read(s.fs, "events/ftrace/kernel_stack/format", ParseFormat)
}

// eventID reads EVENT/id.
func (fs *FS) eventID(event string) (int, error) {
	name := path.Join(event, "id")
	text, err := fs.ReadValue(name)
	if err != nil {
		return 0, err
	}
	id, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 16)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path.Join(fs.dir, name), err)
	}
	return int(id), nil
}

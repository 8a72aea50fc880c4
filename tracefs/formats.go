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
	known := make(map[string]*Format)
	formats := make(map[string]*Format, len(events))
	defer func() { s.learnIDs(formats) }()
	for _, id := range events {
		dir := s.path(s.eventDir(id))
		key := shape(id)
		if alike := known[key]; alike != nil {
			var err error
			f := *alike
			f.Name = path.Base(dir)
			if f.ID, err = s.fs.eventID(dir); err == nil {
				formats[id] = &f
				continue
			} else if !errors.Is(err, os.ErrNotExist) { // as without CONFIG_PERF_EVENTS
				return nil, err
			}
		}
		f, err := read(s.fs, path.Join(dir, "format"), ParseFormat)
		if err != nil {
			return nil, err
		}
		f.Group = path.Base(path.Dir(dir))
		formats[id], known[key] = f, f
	}
	return formats, nil
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

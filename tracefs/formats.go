package tracefs

import (
	"errors"
	"fmt"
	"io"
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
	dir, err := s.fs.root.OpenRoot(s.eventPath("", ""))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	fs := &FS{root: dir, dir: s.absolute(s.eventPath("", ""))}
	known := make(map[string]*Format)
	formats := make(map[string]*Format, len(events))
	defer func() { s.learnIDs(formats) }()
	for _, event := range events {
		key := shape(event)
		if alike := known[key]; alike != nil {
			f := *alike
			f.Name = event
			if f.ID, err = fs.eventID(event); err == nil {
				formats[event] = &f
				continue
			} else if !errors.Is(err, os.ErrNotExist) { // as without CONFIG_PERF_EVENTS
				return nil, err
			}
		}
		f, err := read(fs, path.Join(event, "format"), ParseFormat)
		if err != nil {
			return nil, err
		}
		f.Group = s.name
		formats[event], known[key] = f, f
	}
	return formats, nil
}

// StackFormat returns the format of the records that hold stacks.
func (s *Session) StackFormat() (*Format, error) {
	return read(s.fs, "events/ftrace/kernel_stack/format", ParseFormat)
}

// eventID reads EVENT/id with one read(2).
func (fs *FS) eventID(event string) (int, error) {
	name := path.Join(event, "id")
	f, err := fs.root.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var b [16]byte
	n, err := f.Read(b[:])
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	id, err := strconv.ParseUint(strings.TrimSpace(string(b[:n])), 10, 16)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path.Join(fs.dir, name), err)
	}
	return int(id), nil
}

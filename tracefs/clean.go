package tracefs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"
)

// namePrefix is the prefix of the names of our instances and groups.
const namePrefix = "tsnoop_"

// ownName reports whether an instance or a group has a name of ours: tsnoop_PID or
// tsnoop_PID_N.
func ownName(name string) bool {
	numbers, ok := strings.CutPrefix(name, namePrefix)
	pid, n, more := strings.Cut(numbers, "_")
	return ok && isNumber(pid) && (!more || isNumber(n))
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// Removed is what Clean has removed of a session whose process is dead.
type Removed struct {
	Name     string // of its instance and of the group of its probes
	Instance bool
	Probes   int
}

// Clean removes the instances, groups and probes of sessions whose process is dead, and
// returns what it has removed. It leaves everything alone that is alive or not ours. It
// goes on after an error and joins all errors. log may be nil.
func (fsys *FS) Clean(log func(format string, args ...any)) ([]Removed, error) {
	return fsys.clean(log, nil)
}

// clean is like Clean and reports progress as a session does.
func (fsys *FS) clean(log func(string, ...any), report func(string, int)) ([]Removed, error) {
	var removed []Removed
	var errs []error
	names, err := fsys.leftovers()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		s, probes, err := fsys.adopt(name, log)
		if err == nil && s != nil {
			instance := s.alive != nil
			if report != nil {
				s.progress = report
			}
			err = s.Close()
			if err == nil {
				removed = append(removed, Removed{name, instance, probes})
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return removed, errors.Join(errs...)
}

// leftovers returns the names of all instances and groups of ours, alive or dead.
func (fsys *FS) leftovers() ([]string, error) {
	var names []string
	seen := make(map[string]bool)
	add := func(name string) {
		if ownName(name) && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	instances, err := fsys.names("instances")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, explainOpen(fsys.dir, err)
	}
	for _, name := range instances {
		add(name)
	}
	probes, err := fsys.probes("")
	if err != nil {
		return nil, explainOpen(fsys.dir, err)
	}
	for _, p := range probes {
		add(p.Group)
	}
	return names, nil
}

// adopt takes over a dead session, so that Close can remove it, and counts its probes. It
// returns nil if the session is alive or gone.
func (fsys *FS) adopt(name string, log func(string, ...any)) (*Session, int, error) {
	unlock, err := fsys.lockProbes()
	if err != nil {
		return nil, 0, err
	}
	defer unlock()
	s := fsys.newSession(name, log)
	s.adopted = true
	if fsys.Exists(s.dir) {
		switch err := s.claim(); {
		case errors.Is(err, unix.EWOULDBLOCK), errors.Is(err, fs.ErrNotExist):
			return nil, 0, nil
		case err != nil:
			return nil, 0, err
		}
		s.undo.push("rmdir "+s.dir, s.remove)
	}
	probes, err := fsys.probes(name)
	if err != nil {
		if s.alive != nil {
			s.alive.Close()
		}
		return nil, 0, err
	}
	if s.alive == nil && len(probes) == 0 {
		return nil, 0, nil
	}
	for _, p := range probes {
		s.pushRemove(p.File, p.Event)
	}
	if s.alive != nil && len(probes) > 0 {
		s.enabled = true
		s.undo.push("disable "+name, s.stop)
	}
	return s, len(probes), nil
}

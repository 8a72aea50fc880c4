package probes

import (
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// addPath adds the fetchargs of a path.
func (s *Side) addPath(f *encode.Path, label string, at spec.Span) (*value.Path, bool) {
	if f == nil {
		return nil, true
	}
	p, good := &value.Path{Off: f.Off}, true
	add := func(a dynevent.Arg) int {
		i, ok := s.line.Add(a, label, at)
		good = good && ok
		return i
	}
	for _, a := range f.Names {
		p.Names = append(p.Names, add(a))
	}
	for _, a := range f.Dentries {
		p.Dentries = append(p.Dentries, add(a))
	}
	for _, one := range []struct {
		a  dynevent.Arg
		at *int
	}{{f.Top, &p.Top}, {f.Up, &p.Up}, {f.Mnt, &p.Mnt}, {f.Hash, &p.Hash}, {f.Magic, &p.Magic}, {f.Inode, &p.Inode}} {
		if one.a.Type.Size > 0 {
			*one.at = add(one.a) + 1
		}
	}
	mount, ok := s.addPath(f.Mount, label+" mount", at)
	p.Mount = mount
	return p, good && ok
}

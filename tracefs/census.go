package tracefs

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs/dynevent"
)

// A Census tells what there is in a tracefs, without its names.
type Census struct {
	Probes, OwnProbes       int // kprobe events of others, and of tsnoop
	Instances, OwnInstances int
	Tracer                  string   // current_tracer: "nop"
	Refusals                []string // the kernel's words about tsnoop's own definitions, oldest first
}

// Census counts. What cannot be read is not there.
func (fsys *FS) Census() Census {
	var c Census
	probes, _ := read(fsys, dynevent.Kprobe.File(), ParseProbes)
	for _, p := range probes {
		count(p.Group, &c.Probes, &c.OwnProbes)
	}
	dirs, _ := fs.ReadDir(fsys.root.FS(), "instances")
	for _, d := range dirs {
		count(d.Name(), &c.Instances, &c.OwnInstances)
	}
	tracer, _ := fsys.ReadFile("current_tracer")
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
	if ownName.MatchString(name) {
		*ours++
	} else {
		*others++
	}
}

// own tells whether a definition is of a group of ours: "p:tsnoop_17/ip_rcv ip_rcv".
func own(definition string) bool {
	_, name, _ := strings.Cut(definition, ":")
	group, _, ok := strings.Cut(name, "/")
	return ok && ownName.MatchString(group)
}

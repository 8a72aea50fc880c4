package input

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/tracefs"
)

// mostHosts is how many recordings may be in one replay.
const mostHosts = 10_000

// host takes the origin of one of several recordings. They are the first lines, and each line
// of a call has the name of its host.
func (r *lineReader) host(l *line) error {
	name := *l.Host
	if r.trace != nil && (len(r.hosts) == 0 || r.hosts[name] != nil) {
		if err := r.end(); err != nil { // another replay follows
			return err
		}
	}
	if len(r.hosts) >= mostHosts {
		return r.damaged(fmt.Errorf("more than %d recordings", mostHosts))
	}
	if r.hosts == nil {
		r.hosts = map[string]*call.Trace{}
	}
	r.trace, r.wall = &call.Trace{Name: l.file(), Origin: l.Origin.origin()}, 0
	r.hosts[name] = r.trace
	return r.to.Begin(r.trace)
}

// choose finds the trace that a line belongs to.
func (r *lineReader) choose(l *line) error {
	if len(r.hosts) == 0 || l.Host == nil {
		return r.begin(&tracefs.Origin{})
	}
	t := r.hosts[*l.Host]
	if t == nil {
		return r.damaged(fmt.Errorf("no line has the origin of the host %.40q", *l.Host))
	}
	r.trace = t
	return nil
}

// endHosts ends the traces of all hosts.
func (r *lineReader) endHosts() error {
	all := r.hosts
	r.hosts = nil
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := r.to.End(all[name]); err != nil {
			return err
		}
	}
	return nil
}

package names

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
)

// look finds out whether another program has interfered, and learns names again that were
// forgotten. Events wait some milliseconds before they are yielded: by then look has noticed
// a change that came before them.
func (n *Names) look() {
	if n.changed {
		return
	}
	if file := n.interfered(); file != "" {
		n.changed = true
		n.forget()
		text := fmt.Sprintf("names of tasks are not known any more: another program has used %s", file)
		n.o.Warner.Warn(tracefs.Warning{Text: text, Interference: &tracefs.Interference{Text: text, File: file, Cost: tracefs.Cost{Reported: true, Exact: true}}})
		return
	}
	if n.from == unknown && n.o.Now() >= n.learned+uint64(time.Second) {
		n.Learn()
	}
	n.mark(n.o.Now, lives)
}

// interfered returns the file by which another program has interfered, "" if there is none.
func (n *Names) interfered() string {
	if n.clock.Load() {
		return "trace_clock"
	}
	now := n.o.Now()
	check := now >= n.checked+uint64(time.Second) // a watch may be lost: see tracefs.Watch
	for _, t := range n.session.CollectTouches(n.watch, nil) {
		switch {
		case t.Own:
		case t.Opened:
			if n.opens[t.File]++; n.opens[t.File] > n.session.Opened(t.File) {
				return n.session.Path(t.File)
			}
		case !decides(t.File):
			check = true
		case strings.HasPrefix(t.File, "/"):
			return t.File
		default:
			return n.session.Path(t.File)
		}
	}
	if !check {
		return ""
	}
	n.checked = now
	if changes := n.session.Changes(n.session.Events()); len(changes) > 0 {
		return changes[0].File
	}
	return ""
}

// decides reports whether a write to a file can make events be missing, even if it is as before
// afterwards. The kernel itself makes folders for events, of modules and of other traces, and
// anybody can define probes. An empty name stands for all files: see tracefs.Touch.
func decides(file string) bool {
	base := path.Base(file)
	switch {
	case file == "":
		return true
	case strings.HasSuffix(base, "_events"):
		return false
	case strings.HasPrefix(file, "events"):
		return slices.Contains([]string{"enable", "filter", "trigger"}, base)
	}
	return !slices.Contains([]string{"trace_marker", "trace_marker_raw", "error_log", "per_cpu", "options"}, base)
}

// Guarded returns a Warner for what other programs do to the trace itself. If they change its
// clock, its events cannot be compared with those about names.
func (n *Names) Guarded(w tracefs.Warner) tracefs.Warner {
	if n == nil {
		return w
	}
	return func(what tracefs.Warning) {
		if what.Interference != nil && path.Base(what.Interference.File) == "trace_clock" {
			n.clock.Store(true)
		}
		w.Warn(what)
	}
}

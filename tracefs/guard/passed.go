package guard

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/balance"
)

// matters reports whether writing to a file of the instance decides what is recorded.
// isEvent says whether the file belongs to one of the trace's events.
func matters(file string, isEvent bool) bool {
	switch file {
	case "tracing_on", "tracing_cpumask":
		return true
	}
	return switches(file) || isEvent && slices.Contains([]string{"filter", "trigger"}, path.Base(file))
}

// switches reports whether a file can switch probes off, so that they count nothing.
func switches(file string) bool {
	return file == "set_event" || path.Base(file) == "enable" && strings.HasPrefix(file, "events/")
}

// passed reports what another program has changed and set back before anyone has
// looked, if that has cost events or may have.
func (g *Guard) passed(now balance.Counts) bool {
	if len(g.written) == 0 || time.Since(g.lastReport) < 2*guardTime {
		return false // or it is what was just reported
	}
	least, _ := g.mark.Lacks(now)
	if g.known.Uncounted = slices.ContainsFunc(g.written, switches); !g.known.Uncounted && (!now.Known || least <= 0) {
		return false
	}
	file := g.o.Session.Path(g.written[0])
	g.lastReport = time.Now()
	g.reportCost("another program has written to "+file+", and has set it back", tracefs.Interference{File: file})
	return true
}

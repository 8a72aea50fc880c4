package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
)

// OriginText returns lines that say where and when a trace was made: what is known of it,
// with all that could act on a terminal escaped.
func OriginText(o *tracefs.Origin) string {
	if o == nil {
		return ""
	}
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-11s %s\n", name, AppendEscaped(nil, []byte(text), 0))
		}
	}
	line("host", o.Host)
	line("machine id", o.MachineID)
	line("boot id", o.BootID)
	line("kernel", strings.TrimSpace(o.Kernel+" "+o.Arch))
	line("recorder", o.Recorder)
	line("clock", o.Clock)
	line("began", momentText(o.Began))
	line("ended", momentText(o.Ended))
	for _, spec := range o.Specs {
		line("spec", spec)
	}
	return b.String()
}

// momentText returns "2026-11-24T22:00:00.123456789Z, off by at most 2ms, 12.345678901 on the
// trace clock".
func momentText(m *tracefs.Moment) string {
	if m == nil {
		return ""
	}
	text := time.Unix(0, m.Wall).UTC().Format("2006-01-02T15:04:05.000000000Z")
	if m.MaxError != nil {
		text += fmt.Sprintf(", off by at most %v", time.Duration(*m.MaxError))
		if !m.Synced {
			text += " (not synchronized)"
		}
	}
	return text + fmt.Sprintf(", %d.%09d on the trace clock", m.Trace/1e9, m.Trace%1e9)
}

package output

import (
	"os"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"golang.org/x/term"
)

// The default limits for events a second of one probe. Nobody reads that much on a
// terminal, and if what writes a line there is traced itself, each event causes more.
// Elsewhere the limit is about what can be shown at all.
const (
	terminalRate = 10_000
	fileRate     = 1_000_000
)

// MaxRate returns the limit of --max-rate, or a default.
func MaxRate(o *flags.Options) int {
	switch {
	case o.Trace.MaxRate >= 0:
		return o.Trace.MaxRate
	case OnTerminal(o):
		return terminalRate
	}
	return fileRate
}

// OnTerminal reports whether somebody at a terminal is shown the calls.
func OnTerminal(o *flags.Options) bool {
	return o.Command != "record" && o.Summary != "only" && (o.Output == "" || o.Output == "-") && term.IsTerminal(int(os.Stdout.Fd()))
}

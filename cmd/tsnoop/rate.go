package main

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/term"
)

// The default limits for events a second of one probe. Nobody reads that much on a
// terminal, and if what writes a line there is traced itself, each event causes more.
// Elsewhere the limit is about what can be shown at all.
const (
	terminalRate = 10_000
	fileRate     = 1_000_000
)

// rate returns the limit of --max-rate, or a default.
func (o *options) rate() int {
	switch {
	case o.trace.MaxRate >= 0:
		return o.trace.MaxRate
	case o.command.name != "record" && o.summary != "only" && (o.output == "" || o.output == "-") && term.IsTerminal(int(os.Stdout.Fd())):
		return terminalRate
	}
	return fileRate
}

// parseRate parses a number of events a second.
func parseRate(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is no number of events", s)
	}
	return n, nil
}

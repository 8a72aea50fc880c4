package notation_test

import (
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/help"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/notation"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs"
)

// TestNotations: each has a flag that the help names, and accepts a trace that has
// nothing to show.
func TestNotations(t *testing.T) {
	for i, n := range notation.All {
		flag := "--" + n.Name
		args := []string{flag, "f"}
		if i == 0 { // that of those who ask for none
			args = args[1:]
		} else if !strings.Contains(help.Usage(), "\n      "+flag+" ") {
			t.Errorf("the help does not name %s", flag)
		}
		o, err := flags.Parse(args)
		if err != nil {
			t.Errorf("%s: %v", flag, err)
			continue
		}
		sink := o.Notation.Sink(nil, render.Options{})
		out := sink.Open(nil)
		out = sink.Idle(out)
		out = sink.Lost(out, &tracefs.Event{Lost: 5})
		out = sink.LostTotal(out, []tracefs.CPUStats{{Overrun: 5}})
		out = sink.Missed(out, "f", true, 1, false)
		out = sink.Summary(out, &sum.Summary{Sums: []sum.Sum{}, Final: true, Alone: true, Width: 80})
		if out = sink.Close(out); len(out) == 0 {
			t.Errorf("%s says nothing", n.Name)
		}
	}
}

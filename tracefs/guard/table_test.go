package guard

import (
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
)

// TestDescribe has a change for each row.
func TestDescribe(t *testing.T) {
	g := &Guard{o: Options{Plans: func() []*plan.Plan { return nil }}}
	for _, tt := range []struct {
		c          tracefs.Change
		said, goOn string
	}{
		{tracefs.Change{What: "the probe", Event: "f", File: "/t/kprobe_events", Before: "there"},
			"another program has removed the probe of f", "--on-tamper=restore defines it again"},
		{tracefs.Change{What: "all probes of this host", File: "/d/enabled", Before: "1", After: "0", Silent: true, Shared: true},
			"another program has switched off all probes of this host", "to go on: echo 1 > /d/enabled"},
		{tracefs.Change{What: "tracing", File: "/t/tracing_on", Before: "1", After: "0", Silent: true},
			"another program has switched this trace off", "to go on: echo 1 > /t/tracing_on"},
		{tracefs.Change{What: "an option", File: "/t/options/x", Before: "1", After: "0"},
			"another program has switched off an option of this trace", "to go on: echo 1 > /t/options/x"},
		{tracefs.Change{What: "the probe", Event: "f", File: "/t/enable", Before: "1", After: "0"},
			"another program has switched off the probe of f", "to go on: echo 1 > /t/enable"},
		{tracefs.Change{What: "the options", File: "/t/trace_options", After: "stacktrace"},
			"another program has set options of this trace, stacktrace", "--on-tamper=restore sets them back"},
		{tracefs.Change{What: "the triggers", Event: "f", File: "/t/trigger", Before: "none", After: "traceoff"},
			"another program has changed the triggers of f from none to traceoff", "to go back: echo '!traceoff' > /t/trigger"},
		{tracefs.Change{What: "the filter", Event: "f", File: "/t/filter", Before: "none", After: "{was} == 1"},
			"another program has changed the filter of f from none to {was} == 1", "to go back: echo 0 > /t/filter"},
		{tracefs.Change{What: "the clock", File: "/t/trace_clock", Before: "mono", After: "local", Cost: "that has emptied the buffers"},
			"another program has changed the clock of this trace from mono to local, and that has emptied the buffers", "to go back: echo 'mono' > /t/trace_clock"},
	} {
		if said, goOn := g.describe(&tt.c); said != tt.said || goOn != tt.goOn {
			t.Errorf("%+v: %q, %q, want %q, %q", tt.c, said, goOn, tt.said, tt.goOn)
		}
	}
}

// TestDescribeList has a list for each row.
func TestDescribeList(t *testing.T) {
	some := func() ([]int, error) { return nil, nil }
	for _, tt := range []struct {
		list   string
		family func() ([]int, error)
		l      tracefs.ThreadList
		said   string
		less   bool
	}{
		{keptOut, nil, tracefs.ThreadList{Lacks: []int{1}, Others: []int{2}}, "which kept what tsnoop itself does out of this trace", true},
		{keptOut, nil, tracefs.ThreadList{Lacks: []int{1}}, "which kept what tsnoop itself does out of this trace", false},
		{keptOut, nil, tracefs.ThreadList{}, "but nothing else is kept out of this trace than before", false},
		{keptOut, nil, tracefs.ThreadList{Others: []int{2}}, "whose threads are kept out of this trace", true},
		{tracedOnly, nil, tracefs.ThreadList{Emptied: true}, "but all threads are traced as before", false},
		{tracedOnly, nil, tracefs.ThreadList{Others: []int{2}}, "and only the threads listed there are still traced", true},
		{tracedOnly, some, tracefs.ThreadList{Emptied: true, Lacks: []int{1}}, "and all threads of this host are traced now", false},
		{tracedOnly, some, tracefs.ThreadList{Lacks: []int{1, 2, 3, 4, 5, 6, 7}}, "and threads that were asked for are not traced any more: 1, 2, 3, 4, 5 and 2 more", true},
		{tracedOnly, some, tracefs.ThreadList{}, "but the threads that were asked for are traced as before", false},
		{tracedOnly, some, tracefs.ThreadList{Others: []int{2}}, "and other threads than those that were asked for may be traced", false},
	} {
		g := &Guard{o: Options{Family: tt.family}}
		tt.l.File = "/t/" + tt.list
		want := "another program has written to /t/" + tt.list + ", " + tt.said
		if said, less := g.describeList(tt.list, tt.l); said != want || less != tt.less {
			t.Errorf("%s %+v: %q, %v, want %q, %v", tt.list, tt.l, said, less, want, tt.less)
		}
	}
}

package balance

import (
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
)

// TestCost: a number of events is exact, or bounds, or none.
func TestCost(t *testing.T) {
	counted := func(hits, seen uint64) Counts {
		return Counts{Known: true, Still: true, First: hits, Hits: hits, Seen: seen}
	}
	reading := func(a *Counts) { a.Still = false }
	for _, tt := range []struct {
		name string
		k    Conditions
		set  func(was, now *Counts)
		hits uint64 // of 10 events
		text string
		want tracefs.Cost
	}{
		{name: "exact", hits: 13, text: "3 events are missing", want: tracefs.Cost{Exact: true, Events: 3}},
		{name: "none", hits: 10, text: "no events are missing", want: tracefs.Cost{Exact: true}},
		{name: "own calls", k: Conditions{Drifts: true}, hits: 13, text: "up to 3 events are missing", want: tracefs.Cost{AtMost: true, Events: 3}},
		{name: "own calls, none", k: Conditions{Drifts: true}, hits: 10, text: "no events are missing", want: tracefs.Cost{Exact: true}},
		{name: "others' events", set: func(was, now *Counts) { was.Unread, now.OtherEvents = 1, 2 }, hits: 13,
			text: "2 to 3 events are missing", want: tracefs.Cost{AtMost: true, Events: 3}},
		{name: "no new tasks", k: Conditions{Births: true}, set: func(was, now *Counts) { now.Unread, was.TasksFirst, now.Tasks = 2, 9, 9 }, hits: 13,
			text: "3 events are missing", want: tracefs.Cost{Exact: true, Events: 3}},
		{name: "new tasks, unread or lost", k: Conditions{Births: true}, set: func(was, now *Counts) { was.Lost, now.Lost, now.Unread, now.Tasks = 4, 5, 2, 9 }, hits: 13,
			text: "3 to 6 events are missing", want: tracefs.Cost{AtMost: true, Events: 6}},
		{name: "hits at first", set: func(was, _ *Counts) { was.First -= 2 }, hits: 13, text: "3 to 5 events are missing",
			want: tracefs.Cost{AtMost: true, Events: 5}},
		{name: "hits at last", set: func(_, now *Counts) { now.First -= 2 }, hits: 13, text: "1 to 3 events are missing",
			want: tracefs.Cost{AtMost: true, Events: 3}},
		{name: "many hits at last", set: func(_, now *Counts) { now.First -= 3 }, hits: 13, text: "up to 3 events are missing",
			want: tracefs.Cost{AtMost: true, Events: 3}},
		{name: "hits, none", set: func(_, now *Counts) { now.First -= 2 }, hits: 10, text: "no events are missing", want: tracefs.Cost{Exact: true}},
		{name: "hits and own calls", k: Conditions{Drifts: true}, set: func(_, now *Counts) { now.First-- }, hits: 13, text: "up to 3 events are missing",
			want: tracefs.Cost{AtMost: true, Events: 3}},
		{name: "read at first", set: func(was, _ *Counts) { reading(was) }, hits: 13, text: "about 3 events are missing"},
		{name: "read at last", set: func(_, now *Counts) { reading(now) }, hits: 13, text: "about 3 events are missing"},
		{name: "read, none", set: func(_, now *Counts) { reading(now) }, hits: 9, text: "no events seem to be missing"},
		{name: "read, and own calls", k: Conditions{Drifts: true}, set: func(_, now *Counts) { reading(now) }, hits: 13, text: "about 3 events are missing"},
		{name: "off", k: Conditions{Uncounted: true}, hits: 13, text: "3 events are missing, and those that nobody has counted"},
		{name: "off, and new tasks, unread", k: Conditions{Uncounted: true, Births: true}, set: func(_, now *Counts) { now.Unread, now.Tasks = 1, 9 }, hits: 10,
			text: "the number of missing events is unknown: probes that are off count nothing"},
		{name: "off, read at last", k: Conditions{Uncounted: true}, set: func(_, now *Counts) { reading(now) }, hits: 13,
			text: "the number of missing events is unknown: probes that are off count nothing"},
		{name: "off, none", k: Conditions{Uncounted: true}, hits: 10, text: "the number of missing events is unknown: probes that are off count nothing"},
		{name: "reset", k: Conditions{CountsReset: true}, hits: 13, text: "the number of missing events is unknown: the kernel's counters were reset"},
		{name: "unknown", set: func(was, _ *Counts) { was.Known = false }, hits: 13, text: "the number of missing events is unknown"},
	} {
		was, now := counted(5, 5), counted(5+tt.hits, 15)
		if tt.set != nil {
			tt.set(&was, &now)
		}
		tt.k.Countable, tt.want.Reported = true, true
		if text, got := tt.k.Cost(was, now); text != tt.text || got != tt.want {
			t.Errorf("%s: %q, %+v; want %q, %+v", tt.name, text, got, tt.text, tt.want)
		}
	}
	for _, tt := range []struct {
		k    Conditions
		hits uint64
		text string
		want tracefs.Cost
	}{
		{hits: 13, text: "the probes were hit 13 times meanwhile, and how much of that was asked for is not known", want: tracefs.Cost{Reported: true}},
		{hits: 0, text: "no events are missing", want: tracefs.Cost{Reported: true, Exact: true}},
		{k: Conditions{Uncounted: true}, hits: 13, text: "the number of missing events is unknown: probes that are off count nothing", want: tracefs.Cost{Reported: true}},
	} {
		if text, got := tt.k.Cost(counted(5, 5), counted(5+tt.hits, 6)); text != tt.text || got != tt.want {
			t.Errorf("with a filter: %q, %+v; want %q, %+v", text, got, tt.text, tt.want)
		}
	}
}

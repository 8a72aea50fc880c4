package guard

import (
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
)

// TestCost: a number of events is exact, or bounds, or none.
func TestCost(t *testing.T) {
	counted := func(hits, seen uint64) account {
		return account{known: true, still: true, first: hits, hits: hits, seen: seen}
	}
	reading := func(a *account) { a.still = false }
	for _, tt := range []struct {
		name string
		k    counting
		set  func(was, now *account)
		hits uint64 // of 10 events
		text string
		want tracefs.Cost
	}{
		{name: "exact", hits: 13, text: "3 events are missing", want: tracefs.Cost{Exact: true, Events: 3}},
		{name: "none", hits: 10, text: "no events are missing", want: tracefs.Cost{Exact: true}},
		{name: "own calls", k: counting{drifts: true}, hits: 13, text: "up to 3 events are missing", want: tracefs.Cost{AtMost: true, Events: 3}},
		{name: "own calls, none", k: counting{drifts: true}, hits: 10, text: "no events are missing", want: tracefs.Cost{Exact: true}},
		{name: "others' events", set: func(was, now *account) { was.unread, now.otherEvents = 1, 2 }, hits: 13,
			text: "2 to 3 events are missing", want: tracefs.Cost{AtMost: true, Events: 3}},
		{name: "no new tasks", k: counting{births: true}, set: func(was, now *account) { now.unread, was.tasksFirst, now.tasks = 2, 9, 9 }, hits: 13,
			text: "3 events are missing", want: tracefs.Cost{Exact: true, Events: 3}},
		{name: "new tasks, unread or lost", k: counting{births: true}, set: func(was, now *account) { was.lost, now.lost, now.unread, now.tasks = 4, 5, 2, 9 }, hits: 13,
			text: "3 to 6 events are missing", want: tracefs.Cost{AtMost: true, Events: 6}},
		{name: "hits at first", set: func(was, _ *account) { was.first -= 2 }, hits: 13, text: "3 to 5 events are missing",
			want: tracefs.Cost{AtMost: true, Events: 5}},
		{name: "hits at last", set: func(_, now *account) { now.first -= 2 }, hits: 13, text: "1 to 3 events are missing",
			want: tracefs.Cost{AtMost: true, Events: 3}},
		{name: "many hits at last", set: func(_, now *account) { now.first -= 3 }, hits: 13, text: "up to 3 events are missing",
			want: tracefs.Cost{AtMost: true, Events: 3}},
		{name: "hits, none", set: func(_, now *account) { now.first -= 2 }, hits: 10, text: "no events are missing", want: tracefs.Cost{Exact: true}},
		{name: "hits and own calls", k: counting{drifts: true}, set: func(_, now *account) { now.first-- }, hits: 13, text: "up to 3 events are missing",
			want: tracefs.Cost{AtMost: true, Events: 3}},
		{name: "read at first", set: func(was, _ *account) { reading(was) }, hits: 13, text: "about 3 events are missing"},
		{name: "read at last", set: func(_, now *account) { reading(now) }, hits: 13, text: "about 3 events are missing"},
		{name: "read, none", set: func(_, now *account) { reading(now) }, hits: 9, text: "no events seem to be missing"},
		{name: "read, and own calls", k: counting{drifts: true}, set: func(_, now *account) { reading(now) }, hits: 13, text: "about 3 events are missing"},
		{name: "off", k: counting{uncounted: true}, hits: 13, text: "3 events are missing, and those that nobody has counted"},
		{name: "off, and new tasks, unread", k: counting{uncounted: true, births: true}, set: func(_, now *account) { now.unread, now.tasks = 1, 9 }, hits: 10,
			text: "the number of missing events is unknown: probes that are off count nothing"},
		{name: "off, read at last", k: counting{uncounted: true}, set: func(_, now *account) { reading(now) }, hits: 13,
			text: "the number of missing events is unknown: probes that are off count nothing"},
		{name: "off, none", k: counting{uncounted: true}, hits: 10, text: "the number of missing events is unknown: probes that are off count nothing"},
		{name: "reset", k: counting{countsReset: true}, hits: 13, text: "the number of missing events is unknown: the kernel's counters were reset"},
		{name: "unknown", set: func(was, _ *account) { was.known = false }, hits: 13, text: "the number of missing events is unknown"},
	} {
		was, now := counted(5, 5), counted(5+tt.hits, 15)
		if tt.set != nil {
			tt.set(&was, &now)
		}
		tt.k.countable, tt.want.Reported = true, true
		if text, got := tt.k.cost(was, now); text != tt.text || got != tt.want {
			t.Errorf("%s: %q, %+v; want %q, %+v", tt.name, text, got, tt.text, tt.want)
		}
	}
	for _, tt := range []struct {
		k    counting
		hits uint64
		text string
		want tracefs.Cost
	}{
		{hits: 13, text: "the probes were hit 13 times meanwhile, and how much of that was asked for is not known", want: tracefs.Cost{Reported: true}},
		{hits: 0, text: "no events are missing", want: tracefs.Cost{Reported: true, Exact: true}},
		{k: counting{uncounted: true}, hits: 13, text: "the number of missing events is unknown: probes that are off count nothing", want: tracefs.Cost{Reported: true}},
	} {
		if text, got := tt.k.cost(counted(5, 5), counted(5+tt.hits, 6)); text != tt.text || got != tt.want {
			t.Errorf("with a filter: %q, %+v; want %q, %+v", text, got, tt.text, tt.want)
		}
	}
}

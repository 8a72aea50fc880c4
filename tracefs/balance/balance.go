// Package balance compares the kernel's counts of two moments: how many events are missing of
// those that the probes' hits have made meanwhile.
package balance

import (
	"fmt"

	"github.com/tsnoop/tsnoop/tracefs"
)

// Counts are the kernel's counts at some time.
type Counts struct {
	Known bool
	Still bool   // nothing was being read from the buffers meanwhile
	First uint64 // hits of all probes before Seen was read
	Hits  uint64 // and after that
	Seen  uint64 // events read here, still in the buffers, read by others, or reported as lost

	Unread      uint64 // those of Seen that are in the buffers, no matter who put them there
	Lost        uint64 // those of Seen that were reported as lost, no matter whose they were
	OtherEvents uint64 // events that were read and are not from our probes; not in Seen

	TasksFirst, Tasks uint64 // started since boot, before and after Seen was read
}

// Exact reports whether nothing has happened while the counts were read.
func (before Counts) Exact() bool { return before.Still && before.First == before.Hits }

// Lacks returns how many more hits than events there were between before and now, as lower
// and upper bounds: there may have been hits while the counts were read, and events
// that others had put into the buffers by then were taken for events of the probes.
func (before Counts) Lacks(now Counts) (least, most int64) {
	seen := int64(now.Seen - before.Seen)
	least = int64(now.First-before.Hits) - seen - int64(min(before.Unread, now.OtherEvents-before.OtherEvents))
	return least, int64(now.Hits-before.First) - seen
}

// births returns how many of the events that are unread or lost now, and were not in before, may
// be those of new tasks.
func (before Counts) births(now Counts) uint64 {
	n := now.Unread + now.Lost - before.Lost
	if now.Tasks > 0 { // else /proc/stat cannot be read
		n = min(n, now.Tasks-before.TasksFirst)
	}
	return n
}

// Conditions are what is known about the kernel's counts.
type Conditions struct {
	Countable   bool // every hit of a probe makes an event
	Births      bool // new tasks also make events
	Drifts      bool // except calls of this program
	Uncounted   bool // probes were off
	CountsReset bool // the counts were reset
}

// Cost returns how many events are missing between two moments: in words, and as a
// number only if it is exact or an upper bound.
func (k Conditions) Cost(before, now Counts) (text string, c tracefs.Cost) {
	const unknown = "the number of missing events is unknown"
	c.Reported = true
	least, most := before.Lacks(now)
	if k.Births {
		most += int64(before.births(now))
	}
	if k.Drifts {
		least = min(least, 0)
	}
	still := before.Still && now.Still
	switch {
	case !now.Known || !before.Known:
		return unknown, c
	case k.CountsReset:
		return unknown + ": the kernel's counters were reset", c
	case !k.Countable && k.Uncounted:
		return unknown + ": probes that are off count nothing", c
	case !k.Countable && now.Hits == before.First:
		c.Exact = true
		return "no events are missing", c
	case !k.Countable:
		return fmt.Sprintf("the probes were hit %d times meanwhile, and how much of that was asked for is not known", now.Hits-before.First), c
	case k.Uncounted && still && least > 0: // an upper bound of what was counted bounds nothing
		return number(still, least, most) + " events are missing, and those that nobody has counted", c
	case k.Uncounted:
		return unknown + ": probes that are off count nothing", c
	case !still && most <= 0:
		return "no events seem to be missing", c
	case most <= 0:
		c.Exact = true
		return "no events are missing", c
	case still:
		c.Exact, c.AtMost, c.Events = least == most, least < most, uint64(most)
	}
	return number(still, least, most) + " events are missing", c
}

// number returns in words a number that is between two bounds, if these are sure.
func number(sure bool, least, most int64) string {
	switch {
	case !sure:
		return fmt.Sprintf("about %d", most)
	case least == most:
		return fmt.Sprint(most)
	case least > 0:
		return fmt.Sprintf("%d to %d", least, most)
	}
	return fmt.Sprintf("up to %d", most)
}

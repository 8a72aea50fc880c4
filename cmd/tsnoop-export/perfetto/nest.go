package perfetto

import "sort"

// A reader orders the begins and ends of slices on a track by their times, and those at the same
// time as they are in the file. An end closes the slice that was begun last. So calls may be on one
// track only if they nest, also where times are equal.

// A span is the time of a call, or of several on which the start of another one must not be.
type span struct{ start, end uint64 } // ns

// A nest is the slices of a track: the outermost of them, in the order of time.
type nest struct{ outer []span }

// mostOuter is how many outermost slices of a track are kept apart. The first half of more is
// taken for one: who would begin in a gap of them gets another track.
const mostOuter = 1024

// add reports whether a call can be written after those that were. Calls come in the order of
// their ends, as they return; one that does not nests nowhere.
func (n *nest) add(s span) bool {
	if last := len(n.outer) - 1; last >= 0 && s.end < n.outer[last].end {
		return false
	}
	// Those from i on end after the start.
	i := sort.Search(len(n.outer), func(i int) bool { return n.outer[i].end > s.start })
	if i < len(n.outer) && n.outer[i].start <= s.start {
		return false // within another one that has ended; or that begins at the same time, and is written before
	}
	n.outer = append(n.outer[:i], s)
	if len(n.outer) > mostOuter {
		half := len(n.outer) / 2
		n.outer[half-1].start = n.outer[0].start
		n.outer = append(n.outer[:0], n.outer[half-1:]...)
	}
	return true
}

package sum

import (
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A Total counts calls and their errors, for one line at the end.
type Total struct {
	order  binary.ByteOrder
	fails  []*plan.ReturnErrno // one for each source
	from   []*render.Recording // of each source, nil if there is one trace
	calls  uint64
	errors map[int]uint64 // by errno
	lost   lossCount
	start  uint64 // ns on the trace clock
	last   uint64 // time of the last call
}

// Missing says what was not seen.
type Missing struct {
	Counted bool   // the kernel has counted the lost events
	Lost    uint64 // events that were lost
	Missed  uint64 // calls and returns for which the probes could not run
	Unsure  uint64 // so many more may have been missed

	Unfinished uint64 // calls that are not counted, since they did not end

	SwitchedOff []string // functions whose later calls are not counted
}

// NewTotal returns a Total for the calls of the sources from start on, in ns on the trace
// clock. order is the byte order of the records, nil for little endian.
func NewTotal(from []render.Source, start uint64, order binary.ByteOrder) *Total {
	t := &Total{order: order, errors: map[int]uint64{}, start: start, last: start}
	t.Grow(from)
	return t
}

// Grow adds sources.
func (t *Total) Grow(further []render.Source) {
	for i := range further {
		order := t.order
		if r := further[i].From; r != nil {
			order = r.Order
		}
		t.fails, t.from = append(t.fails, further[i].ReturnErrno(order)), append(t.from, further[i].From)
	}
}

// Add counts a call that is over.
func (t *Total) Add(c *calls.Call) {
	t.last = max(t.last, t.from[c.Plan].At(c.Last().Time))
	if c.Begun {
		return
	}
	t.calls++
	if e := c.Event(true, 0); e != nil {
		if errno := t.fails[c.Plan].Errno(e.Data); errno != 0 {
			t.errors[errno]++
		}
	}
}

// Lose counts the events that were lost before e.
func (t *Total) Lose(e *tracefs.Event) { t.lost.add(e) }

// Append appends the counts until end, in ns on the trace clock; 0 means the time of the
// last call:
//
//	1,204 calls, 12 errors (9 ENOENT, 3 EACCES), none lost, in 10.2s
//
// Errors are left out if it is not known of any function whether it fails, and lost
// events if they were not counted.
func (t *Total) Append(dst []byte, end uint64, m Missing) []byte {
	dst = appendCount(dst, t.calls, "call")
	if m.Unfinished > 0 {
		dst = append(appendThousands(append(dst, ", "...), m.Unfinished), " more did not end"...)
	}
	if slices.ContainsFunc(t.fails, func(v *plan.ReturnErrno) bool { return v != nil }) && t.calls > 0 {
		dst = t.appendErrors(append(dst, ", "...))
	}
	dst = t.appendMissing(dst, m)
	if end == 0 {
		end = t.last
	}
	return render.AppendDuration(append(dst, ", in "...), end-min(end, t.start))
}

// appendErrors appends the errors, the most frequent first.
func (t *Total) appendErrors(dst []byte) []byte {
	all := errorCounts(t.errors)
	sum := uint64(0)
	for _, e := range all {
		sum += e.Calls
	}
	dst = appendCount(dst, sum, "error")
	const most = 4
	for i, e := range all[:min(len(all), most)] {
		if i == 0 {
			dst = append(dst, " ("...)
		} else {
			dst = append(dst, ", "...)
		}
		sum -= e.Calls
		dst = render.AppendErrnoName(append(appendThousands(dst, e.Calls), ' '), e.Errno)
	}
	switch {
	case sum > 0:
		dst = append(appendThousands(append(dst, ", "...), sum), " others)"...)
	case len(all) > 0:
		dst = append(dst, ')')
	}
	return dst
}

func (t *Total) appendMissing(dst []byte, m Missing) []byte {
	lost := max(m.Lost, t.lost.Lost)
	switch {
	case lost > 0:
		dst = append(appendThousands(append(dst, ", "...), lost), " lost"...)
	case t.lost.LostMore:
		dst = append(dst, ", some lost"...)
	case m.Counted && m.Missed+m.Unsure == 0 && len(m.SwitchedOff) == 0:
		dst = append(dst, ", none lost"...)
	}
	if m.Missed > 0 {
		dst = append(appendThousands(append(dst, ", "...), m.Missed), " missed"...)
	}
	if m.Unsure > 0 {
		dst = append(appendThousands(append(dst, ", perhaps "...), m.Unsure), " missed"...)
	}
	if n := len(m.SwitchedOff); n > 1 {
		dst = append(appendThousands(append(dst, ", "...), uint64(n)), " functions switched off"...)
	} else if n == 1 {
		dst = append(append(append(dst, ", "...), m.SwitchedOff[0]...), " switched off"...)
	}
	return dst
}

// appendCount appends a count with the word for what is counted.
func appendCount(dst []byte, n uint64, of string) []byte {
	if n == 0 {
		dst = append(dst, "no"...)
	} else {
		dst = appendThousands(dst, n)
	}
	dst = append(append(dst, ' '), of...)
	if n != 1 {
		dst = append(dst, 's')
	}
	return dst
}

// appendThousands appends n with commas: 1,204.
func appendThousands(dst []byte, n uint64) []byte {
	if n < 1000 {
		return strconv.AppendUint(dst, n, 10)
	}
	dst = appendThousands(dst, n/1000)
	n %= 1000
	return append(dst, ',', '0'+byte(n/100), '0'+byte(n/10%10), '0'+byte(n%10))
}

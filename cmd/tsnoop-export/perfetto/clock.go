package perfetto

import (
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
)

// clocks are those that a trace can have and a reader knows.
var clocks = map[string]uint64{"mono": clockMonotonic, "mono_raw": clockMonotonicRaw, "boot": clockBoottime}

// start writes what is known of a trace: its clock, and a track that says what it is. time and
// wall are those of its first call; wall is 0 if it is not known.
func (w *writer) start(t *trace, time uint64, wall int64) {
	t.begun, t.first, t.final = true, time, time
	t.clock = clocks[t.Origin.Clock]
	if t.clock == 0 || t.index > 0 {
		t.clock = clockOwn
	}
	// Nothing of this trace refers to what was before.
	w.out = appendNumber(appendNumber(w.out[:0], packetSequence, uint64(t.index+1)), packetSequenceFlags, stateCleared)
	w.body = w.clocks(t, time, wall)
	w.rest(packetClockSnapshot)

	w.body = appendText(appendNumber(w.body[:0], trackUUID, t.info), trackName, t.name())
	w.packet(t, packetTrackDescriptor)
	w.body = appendNumber(appendNumber(w.body[:0], eventType, typeInstant), eventTrack, t.info)
	w.body = appendText(appendText(w.body, eventCategories, "tsnoop"), eventName, "trace")
	o := t.Origin
	for _, n := range []struct{ name, text string }{{"host", o.Host}, {"kernel", o.Kernel}, {"arch", o.Arch}, {"boot_id", o.BootID},
		{"machine_id", o.MachineID}, {"recorder", o.Recorder}, {"clock", o.Clock}, {"file", t.Name}, {"specs", strings.Join(o.Specs, "\n")}} {
		if n.text != "" {
			w.body = w.appendNote(w.body, n.name, n.text)
		}
	}
	w.event(t, time)
}

// snapshot writes that a time of the trace was a time of day.
func (w *writer) snapshot(t *trace, time uint64, wall int64) {
	w.body = w.clocks(t, time, wall)
	w.packet(t, packetClockSnapshot)
}

// clocks returns a ClockSnapshot. How long a host was suspended is not in a trace: MONOTONIC and
// BOOTTIME, which differ by that, are taken for the same. Another trace may be of another boot, so
// only its time of day connects it with the first one.
func (w *writer) clocks(t *trace, time uint64, wall int64) []byte {
	var b []byte
	add := func(id, time uint64) {
		w.inner = appendNumber(appendNumber(w.inner[:0], clockID, id), clockTimestamp, time)
		b = appendBytes(b, snapshotClocks, w.inner)
	}
	if wall > 0 {
		add(clockRealtime, uint64(wall))
	}
	if t.index == 0 {
		add(clockMonotonic, time)
		add(clockBoottime, time)
	} else if wall <= 0 {
		w.blind++
		add(clockBoottime, w.begin)
	}
	if t.clock != clockMonotonic && t.clock != clockBoottime {
		add(t.clock, time)
	}
	if t.index == 0 {
		w.begin = time
	}
	return b
}

// Loss writes lost events as a counter, and what else a trace lacks as an instant.
func (w *writer) Loss(l *call.Loss) error {
	t := w.traces[l.Trace]
	if t == nil {
		return w.err
	}
	if !t.begun {
		w.start(t, l.Time, wallAt(t, l.Time))
	}
	at := t.final
	if l.Time > 0 {
		at = l.Time
	}
	switch {
	case l.Kind == call.LostHere && !l.Known:
		w.note(t, at, fmt.Sprintf("an unknown number of events was lost on CPU %d", l.CPU))
	case l.Kind == call.LostHere:
		w.count(t, at, t.events+l.Count)
	case l.Kind == call.LostTotal:
		if l.Count > t.events {
			w.count(t, at, l.Count)
		}
	default:
		w.note(t, at, what(l))
	}
	return w.err
}

// wallAt returns the time of day at a time of a trace, 0 if it is not known.
func wallAt(t *trace, time uint64) int64 {
	if b := t.Origin.Began; b != nil {
		return b.Wall - int64(b.Trace) + int64(time)
	}
	return 0
}

// count writes how many events are lost by now.
func (w *writer) count(t *trace, time, n uint64) {
	if t.lost == 0 {
		t.lost = t.newTrack()
		b := appendNumber(appendNumber(w.body[:0], trackUUID, t.lost), trackParent, t.info)
		w.body = appendBytes(appendText(b, trackName, "events lost"), trackCounter, appendNumber(nil, counterUnit, unitCount))
		w.packet(t, packetTrackDescriptor)
		if n != t.events {
			w.counter(t, t.first, 0)
		}
	}
	t.events = n
	w.counter(t, time, n)
}

func (w *writer) counter(t *trace, time, n uint64) {
	w.body = appendNumber(appendNumber(w.body[:0], eventType, typeCounter), eventTrack, t.lost)
	w.body = appendNumber(w.body, eventCounter, n)
	w.event(t, time)
}

// what says what a trace lacks.
func what(l *call.Loss) string {
	count := fmt.Sprint(l.Count)
	if l.AtMost {
		count = "at most " + count
	}
	switch l.Kind {
	case call.MissedCalls:
		return fmt.Sprintf("%s: %s calls missed", l.Func, count)
	case call.MissedReturns:
		return fmt.Sprintf("%s: %s returns missed", l.Func, count)
	case call.UnfinishedCalls:
		return fmt.Sprintf("%s: %s calls without an entry or a return", l.Func, count)
	case call.EarlierCalls:
		return fmt.Sprintf("%s: %s calls that began before the trace", l.Func, count)
	case call.SwitchedOff:
		return l.Func + ": switched off, later calls are missing"
	}
	return l.Interference.Text
}

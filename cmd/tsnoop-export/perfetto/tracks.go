package perfetto

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
)

const (
	// mostTasks and mostSpans are how many threads are kept, and slices that others may not
	// overlap. After more, threads get new tracks.
	mostTasks = 1 << 14
	mostSpans = 2 << 20
	// mostTracks is how many tracks a thread has for calls that overlap.
	mostTracks = 64
)

// A key names a thread. The idle tasks of all CPUs have the number 0.
type key struct{ pid, tid, cpu int }

// A thread has the tracks of a task.
type thread struct {
	comm  string // the name that its track has
	track uint64
	own   []slices // its track, and further ones for calls that overlap
}

// Slices are a track for slices.
type slices struct {
	track uint64
	nest  nest
}

// newTrack returns the number of a new track. Those of other traces differ.
func (t *trace) newTrack() uint64 {
	t.tracks++
	return t.base + t.tracks
}

// base returns a number that is different for each trace, and the same for each export of it.
func base(t *call.Trace, index int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s\x00%s\x00%d", t.Origin.MachineID, t.Origin.BootID, t.Origin.Host, index)
	if b := t.Origin.Began; b != nil {
		binary.Write(h, binary.LittleEndian, b.Trace)
	}
	return h.Sum64() &^ math.MaxUint32
}

// thread returns the thread of a call, whose track is described when it is first seen.
func (w *writer) thread(t *trace, c *call.Call) *thread {
	k := key{pid: c.PID, tid: c.TID}
	if c.TID == 0 {
		k.cpu = c.CPU
	}
	one := t.threads[k]
	if one == nil {
		if len(t.threads) >= mostTasks || w.spans >= mostSpans {
			w.forget()
		}
		one = &thread{track: t.newTrack()}
		one.own = []slices{{track: one.track}}
		t.threads[k] = one
	} else if len(c.Comm) == 0 || one.comm == string(c.Comm) {
		return one
	}
	one.comm = string(c.Comm)
	w.describeThread(t, one, k)
	return one
}

// describeThread writes what the track of a thread is. Only of one trace are threads known as
// such, because those of another one may have the same numbers.
func (w *writer) describeThread(t *trace, one *thread, k key) {
	b := appendNumber(w.body[:0], trackUUID, one.track)
	if t.index > 0 || w.many || k.pid < 0 || k.tid <= 0 || k.pid > math.MaxInt32 || k.tid > math.MaxInt32 {
		b = appendNumber(b, trackParent, t.info)
		name := fmt.Sprintf("%s-%d", one.comm, k.tid)
		switch {
		case k.tid == 0:
			name = fmt.Sprintf("idle CPU %d", k.cpu)
		case one.comm == "":
			name = fmt.Sprintf("thread %d", k.tid)
		}
		b = appendText(b, trackName, name)
	} else {
		b = appendNumber(b, trackParent, w.process(t, k.pid, one.comm, k.tid))
		w.inner = appendNumber(appendNumber(w.inner[:0], threadPID, uint64(k.pid)), threadTID, uint64(k.tid))
		if one.comm != "" {
			w.inner = appendText(w.inner, threadName, one.comm)
		}
		b = appendBytes(b, trackThread, w.inner)
	}
	w.body = b
	w.packet(t, packetTrackDescriptor)
}

// process returns the track of a process. Its name is that of its first thread.
func (w *writer) process(t *trace, pid int, comm string, tid int) uint64 {
	track, known := t.processes[pid]
	if !known {
		if len(t.processes) >= mostTasks {
			clear(t.processes)
		}
		track = t.newTrack()
		t.processes[pid] = track
	}
	if known && tid != pid {
		return track
	}
	kept := w.body
	w.inner = appendNumber(w.inner[:0], processPID, uint64(pid))
	if tid == pid && comm != "" {
		w.inner = appendText(w.inner, processName, comm)
	}
	w.body = appendBytes(appendNumber(nil, trackUUID, track), trackProcess, w.inner)
	w.packet(t, packetTrackDescriptor)
	w.body = kept
	return track
}

// track returns the track of a thread on which a call nests, false if there are too many.
func (w *writer) track(t *trace, one *thread, s span) (uint64, bool) {
	for i := range one.own {
		n := &one.own[i].nest
		before := len(n.outer)
		if n.add(s) {
			w.spans += len(n.outer) - before
			return one.own[i].track, true
		}
	}
	if len(one.own) >= mostTracks {
		return one.track, false
	}
	further := slices{track: t.newTrack()}
	further.nest.add(s)
	w.spans++
	one.own = append(one.own, further)
	w.body = appendNumber(appendNumber(w.body[:0], trackUUID, further.track), trackParent, one.track)
	w.body = appendText(w.body, trackName, fmt.Sprintf("overlapping calls %d", len(one.own)-1))
	w.packet(t, packetTrackDescriptor)
	return further.track, true
}

// forget forgets all threads.
func (w *writer) forget() {
	for _, t := range w.traces {
		clear(t.threads)
	}
	w.spans = 0
}

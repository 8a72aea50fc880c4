package read

import (
	"encoding/binary"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

// An Aside takes the events of a second session, with the same clock, in the order of time
// among those that are yielded: before an event is yielded, Event was called for all earlier
// ones. All its functions are called by the goroutine that ranges over the events.
type Aside struct {
	Session *tracefs.Session
	Event   func(id, tid int, time uint64, data []byte)
	// Lost is called as soon as it is known that events were lost, all of which are later
	// than the events that were yielded by then. before is the time of the next event of
	// their CPU.
	Lost func(before uint64)
	// Look is called each time after the buffers were read, before further events are yielded.
	Look func()
}

// take hands on the current record of s. One that is too short counts as lost.
func (a *Aside) take(l ringbuf.Layout, s *stream) {
	data := s.page.Data
	if len(data) < commonSize {
		a.Lost(s.page.Stamp)
		return
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if l.BigEndian {
		order = binary.BigEndian
	}
	a.Event(int(order.Uint16(data)), int(int32(order.Uint32(data[4:]))), s.page.Stamp, data)
}

// lostAside reports what was lost of a stream that is taken aside.
func (s *stream) lostAside(m *merger, before uint64) {
	if s.aside && s.lost > 0 {
		s.lost = 0
		m.opts.Aside.Lost(before)
	}
}

// allAside reports whether no stream in the heap has events to be yielded.
func (m *merger) allAside() bool {
	for _, s := range m.heap {
		if !s.aside {
			return false
		}
	}
	return true
}

package tasks

import (
	"encoding/binary"
	"iter"
	"slices"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
)

// TestOwnThreads lets thread 10 of process 10 start a thread, 11, and a child, 20, with
// a thread of its own, 21. No event reports the birth of 12 and 30, of which 12 is a
// thread of ours. 11 ends, and its number is a child's.
func TestOwnThreads(t *testing.T) {
	call := &tracefs.Format{ID: 1}
	born := &tracefs.Format{ID: 2, Fields: []tracefs.FormatField{
		{Name: "pid", Offset: 8, Size: 4}, {Name: "clone_flags", Offset: 16, Size: 8},
	}}
	starts := func(tid, child int, flags uint64) *tracefs.Event {
		data := make([]byte, 24)
		binary.LittleEndian.PutUint32(data[8:], uint32(child))
		binary.LittleEndian.PutUint64(data[16:], flags)
		return &tracefs.Event{Format: born, TID: tid, Data: data}
	}
	calls := func(tid int, lost uint64) *tracefs.Event { return &tracefs.Event{Format: call, TID: tid, Lost: lost} }
	events := []*tracefs.Event{
		calls(10, 0), starts(10, 11, 0x3d0f00), starts(11, 20, 0x1200000), calls(11, 0), calls(20, 0),
		starts(20, 21, 0x3d0f00), calls(21, 0), calls(20, 7), calls(12, 0), calls(30, 0), starts(10, 11, 17), calls(11, 0), calls(10, 0),
	}
	own := &OwnThreads{Pids: []int{10}, Threads: []int{10}}
	own.ask = func(tid int) []int { return map[int][]int{12: {10, 12}, 30: {30}}[tid] }
	n, err := NewTasksOf(born, binary.LittleEndian)
	if err != nil {
		t.Fatal(err)
	}
	own.Learn(n)
	var tids []int
	var lost uint64
	for e := range own.Only(sequence(events)) {
		if lost += e.Lost; e.Format == call {
			tids = append(tids, e.TID)
		}
	}
	if want := []int{10, 11, 12, 10}; !slices.Equal(tids, want) {
		t.Errorf("calls of %v are kept, want %v", tids, want)
	}
	if lost != 7 {
		t.Errorf("%d lost, want 7", lost)
	}
}

func sequence(events []*tracefs.Event) iter.Seq2[*tracefs.Event, error] {
	return func(yield func(*tracefs.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

package calls_test

import (
	"encoding/binary"
	"fmt"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// The entry and the return of one call. Their records hold nothing but the stack
// pointer; the return's lies above the entry's by what was popped.
func ExamplePairer() {
	entry, ret := &tracefs.Format{ID: 7}, &tracefs.Format{ID: 8}
	p := calls.NewPairer(map[int]calls.Side{
		entry.ID: {Plan: 0, Paired: true},
		ret.ID:   {Plan: 0, Paired: true, Return: true},
	}, calls.Options{Delta: 8})
	at := func(f *tracefs.Format, time, sp uint64) *tracefs.Event {
		return &tracefs.Event{Format: f, Time: time, TID: 42, Data: binary.LittleEndian.AppendUint64(nil, sp)}
	}
	for _, e := range []*tracefs.Event{at(entry, 1000, 0xff80), at(ret, 3500, 0xff88)} {
		for c, ok := p.Add(e); ok; c, ok = p.Next() {
			fmt.Println(c.Plan, c.Entry.TID, c.Duration, "ns")
		}
	}
	// Output: 0 42 2500 ns
}

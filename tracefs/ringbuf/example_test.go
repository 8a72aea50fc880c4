package ringbuf_test

import (
	"encoding/binary"
	"fmt"

	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

// The records of a page as a CPU's trace_pipe_raw hands it out: here one, 5 ns
// after the page's own time.
func ExamplePage() {
	le := binary.LittleEndian
	b := le.AppendUint64(nil, 1_000_000) // time stamp
	b = le.AppendUint64(b, 12)           // bytes of data
	b = le.AppendUint32(b, 5<<5|2)       // time_delta 5, type_len 2: two words
	b = append(b, 0x12, 0x06, 0, 0, 42, 0, 0, 0)
	b = append(b, make([]byte, 4096-len(b))...)

	var p ringbuf.Page
	if err := p.Reset(ringbuf.Layout{LongSize: 8}, b); err != nil {
		panic(err)
	}
	for p.Next() {
		fmt.Println(p.Stamp, le.Uint16(p.Data), len(p.Data))
	}
	fmt.Println(p.Err(), p.Lost())
	// Output:
	// 1000005 1554 8
	// <nil> 0
}

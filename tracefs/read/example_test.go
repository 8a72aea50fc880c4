package read_test

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

// Events of two CPUs in the order of time.
func ExampleMerge() {
	le := binary.LittleEndian
	source := func(cpu int, stamp uint64) read.Source {
		b := le.AppendUint64(nil, stamp)
		b = le.AppendUint64(b, 12)                       // bytes of data
		b = le.AppendUint32(b, 2)                        // one record of two words
		b = append(b, 7, 0, 0, 0, byte(42+cpu), 0, 0, 0) // common_type, ..., common_pid
		b = append(b, make([]byte, 4096-len(b))...)
		return read.Source{CPU: cpu, Next: func() ([]byte, error) {
			page := b
			if b = nil; page == nil {
				return nil, io.EOF
			}
			return page, nil
		}}
	}
	options := read.Options{
		Layout:  ringbuf.Layout{LongSize: 8},
		Formats: []*tracefs.Format{{Name: "tick", ID: 7}},
	}
	for e, err := range read.Merge(options, []read.Source{source(0, 2000), source(1, 1000)}) {
		if err != nil {
			panic(err)
		}
		fmt.Println(e.Time, e.Format.Name, e.CPU, e.TID)
	}
	// Output:
	// 1000 tick 1 43
	// 2000 tick 0 42
}

package text_test

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/text"
)

func ExampleParser_Events() {
	format := &tracefs.Format{Name: "vfs_read", ID: 1, Size: 16, Fields: []tracefs.FormatField{
		{Name: "common_type", Size: 2}, {Name: "count", Type: "u64", Offset: 8, Size: 8},
	}}
	p := text.NewParser(text.Options{Formats: []*tracefs.Format{format}, Pasted: true, Order: binary.LittleEndian})
	const pasted = `# tracer: nop
             cat-42      [003] .....    12.345678: vfs_read: (vfs_read+0x4/0x370) count=4096
             cat-42      [003] .....    12.345699: sched_switch: prev_comm=cat
`
	for e, err := range p.Events(strings.NewReader(pasted)) {
		fmt.Println(string(e.Comm), e.TID, e.CPU, e.Time, binary.LittleEndian.Uint64(e.Data[8:]), err)
	}
	fmt.Println("others:", p.Others)
	// Output:
	// cat 42 3 12345678000 4096 <nil>
	// others: map[sched_switch:1]
}

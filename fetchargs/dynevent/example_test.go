package dynevent_test

import (
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
)

func ExampleKind_Head() {
	kind, _ := dynevent.Named("kretprobe")
	fmt.Printf("echo '%s vfs_read ret=$retval' >> %s\n", kind.Head("mine", "read", 16), kind.File())
	fmt.Printf("echo '%s' >> %s\n", dynevent.Removal("mine", "read"), kind.File())
	// Output:
	// echo 'r16:mine/read vfs_read ret=$retval' >> kprobe_events
	// echo '-:mine/read' >> kprobe_events
}

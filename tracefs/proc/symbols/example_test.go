package symbols_test

import (
	"fmt"

	"github.com/tsnoop/tsnoop/tracefs/proc/symbols"
)

// ExampleRecorded looks up an address of the kernel in its own table of symbols.
func ExampleRecorded() {
	s := symbols.Recorded(func() ([]byte, error) {
		return []byte(`ffffffff81000000 T _stext
ffffffff81a00000 T ip_rcv
ffffffff81a00200 T ip_output
ffffffff82000000 T _etext
`), nil
	})
	name, _, off, ok := s.Name(0xffffffff81a00010)
	fmt.Printf("%s+%#x %t\n", name, off, ok)
	// Output: ip_rcv+0x10 true
}

package proc_test

import (
	"fmt"

	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// What is at an address of the kernel, by its own table of symbols.
func ExampleSymbols() {
	s, err := proc.ParseSymbols([]byte(`ffffffff81000000 T _stext
ffffffff81a00000 T ip_rcv
ffffffff81a00200 T ip_output
ffffffff82000000 T _etext
`))
	if err != nil {
		panic(err)
	}
	name, _, off, ok := s.Name(0xffffffff81a00010)
	fmt.Printf("%s+%#x %t\n", name, off, ok)
	// Output: ip_rcv+0x10 true
}

package thin_test

import (
	"fmt"
	"os"

	"github.com/tsnoop/tsnoop/btf/thin"
)

// One function of a kernel, without decoding the rest of its types.
func Example() {
	data, err := os.ReadFile("../../testdata/btf/sample.btf")
	if err != nil {
		panic(err)
	}
	types, err := thin.Parse(data)
	if err != nil {
		panic(err)
	}
	named, err := types.Named("pkt_rcv")
	if err != nil {
		panic(err)
	}
	for _, t := range named {
		fmt.Println(t)
	}
	// Output:
	// Func:"pkt_rcv"[static proto=FuncProto]
}

package fetchargs_test

import (
	"fmt"
	"os"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/emit"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// The lines that fetch two values on a kernel whose types are in a file.
func Example() {
	s, err := spec.Parse("pkt_rcv(pkt->len, dev->name) if pkt->len > 100")
	if err != nil {
		panic(err)
	}
	features, err := dynevent.FeaturesOf("6.12")
	if err != nil {
		panic(err)
	}
	plans, err := fetchargs.Resolve([]*spec.Spec{s}, &target.Target{
		Kernel:   btf.Open("../testdata/btf/sample.btf"),
		Arch:     abi.Named("amd64"),
		Features: features,
	})
	if err != nil {
		panic(err)
	}
	emit.Tracefs(os.Stdout, plans, "tsnoop", emit.Scope{})
	for _, f := range plans[0].Entry().Fields {
		fmt.Println(f.Label, btf.Name(f.Type))
	}
	// Output:
	// p:tsnoop/pkt_rcv pkt_rcv pkt_len=+24($arg1):u32 pkt=$arg1:x64 dev=$arg2:x64 dev_name=+0($arg2):string
	// # echo 'pkt >= 0xff00000000000000 && pkt < 0xfffffffffffff001 && pkt_len > 100' > events/tsnoop/pkt_rcv/filter
	// # echo 1 > events/tsnoop/pkt_rcv/enable
	// pkt->len u32
	// dev->name char [16]
}

package fetchargs_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// TestCountInBucket: of functions in one bucket of the kernel's table those that
// are probed later come first, each once, in whatever order they are asked for.
func TestCountInBucket(t *testing.T) {
	const text, factor = 0xffffffff81000000, 0x61c8864680b583eb
	bucket := func(offset uint64) uint64 { return (text + offset) * factor >> 58 }
	var offsets []uint64 // of one bucket
	for off := uint64(16); len(offsets) < 3; off += 16 {
		if bucket(off) == bucket(16) {
			offsets = append(offsets, off)
		}
	}
	other := uint64(16)
	for bucket(other) == bucket(16) {
		other += 16
	}
	facts := map[string]fetchargs.SymbolFacts{
		"dev_open": {Offsets: offsets[:1]}, "lists": {Offsets: offsets[1:2]}, "pkt_rcv": {Offsets: offsets[2:]},
		"pkt_free": {Offsets: []uint64{other}},
	}
	target := &fetchargs.Target{
		Arch:       abi.Named("amd64"),
		Kernel:     btf.Open(filepath.Join("..", "testdata", "btf", "sample.btf")),
		Live:       true,
		Symbols:    func([]string, bool) (map[string]fetchargs.SymbolFacts, error) { return facts, nil },
		FaultCount: &fetchargs.FaultCount{List: 16, Misses: 32, Addr: 40, Text: text, UserEnd: 0x7ffffffff000},
	}
	target.Features, _ = dynevent.FeaturesOf("5.10")
	var specs []*spec.Spec
	for _, text := range []string{"pkt_rcv(*(u64 *)pkt)", "dev_open(filename[0])", "pkt_free(*(u64 *)pkt)", "lists(raw[0])", "pkt_rcv(*(u32 *)pkt)", "dev_open(filename)"} {
		s, err := spec.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, s)
	}
	plans, err := fetchargs.Resolve(specs, target)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"+0(+0(@", "+0(@", "@", "@", "+0(+0(@", "+0(@"} {
		args := plans[i].Entry().Args
		n := slices.IndexFunc(args, func(a dynevent.Arg) bool { return a.Name == "kprobe_addr" })
		if n < 0 || !strings.HasPrefix(args[n].String(), "+40("+want+"kprobe_table") {
			t.Errorf("%s: no +40(%skprobe_table...) in %v", specs[i].Text, want, args)
		}
	}
}

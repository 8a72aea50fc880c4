package fetchargs_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// kernelText is where the kernel's text begins.
const kernelText = 0xffffffff81000000

// bucket returns the bucket of the kernel's kprobe_table that a function at an offset from
// the begin of the text has.
func bucket(offset uint64) uint64 { return (kernelText + offset) * 0x61c8864680b583eb >> 58 }

// counting returns a 5.10, which counts the faults of a probe, with functions of which facts
// has the offsets.
func counting(facts map[string]target.SymbolFacts) *target.Target {
	target := &target.Target{
		Arch:       abi.Named("amd64"),
		Kernel:     btf.Open(filepath.Join("..", "testdata", "btf", "sample.btf")),
		Live:       true,
		Symbols:    func([]string, bool) (map[string]target.SymbolFacts, error) { return facts, nil },
		FaultCount: &target.FaultCount{List: 16, Misses: 32, Addr: 40, Text: kernelText, UserEnd: 0x7ffffffff000},
	}
	target.Features, _ = dynevent.FeaturesOf("5.10")
	return target
}

// TestCountInBucket: of functions in one bucket of the kernel's table those that
// are probed later come first, each once, in whatever order they are asked for.
func TestCountInBucket(t *testing.T) {
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
	facts := map[string]target.SymbolFacts{
		"dev_open": {Offsets: offsets[:1]}, "lists": {Offsets: offsets[1:2]}, "pkt_rcv": {Offsets: offsets[2:]},
		"pkt_free": {Offsets: []uint64{other}},
	}
	target := counting(facts)
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

// TestDefinitionOrder defines the probes of random specs in a model of the kernel's table:
// each probe that needs the count of its function finds it there. Some functions share a
// bucket, are in two specs, have a return or none, or are left out of a glob.
func TestDefinitionOrder(t *testing.T) {
	all := []string{"pkt_rcv", "dev_open", "pkt_free", "lists(raw[0])", "pkt_rcv(*(u64 *)pkt)", "pkt_rcv(*(u32 *)pkt, return)", "dev_open(filename)",
		"dev_open(filename, return)", "pkt_free(*(u64 *)pkt)", "pkt_free()", "lists()", "pkt_*", "*(pkt)", "*_open(filename)", "lists(return)", "pkt_*(*(u64 *)pkt)"}
	facts, next := map[string]target.SymbolFacts{}, uint64(16)
	kernel := counting(facts)
	kernel.Traceable = func(_, name string) bool { return name != "pkt_free" } // globs leave it out
	funcs, err := kernel.Kernel.Funcs("*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range funcs {
		for next += 16; bucket(next) > 1; next += 16 {
		}
		facts[f.Name] = target.SymbolFacts{Offsets: []uint64{next}}
	}
	random := rand.New(rand.NewPCG(1, 2))
	counted := 0
	for range 300 {
		var specs []*spec.Spec
		var texts []string
		for range 1 + random.IntN(6) {
			texts = append(texts, all[random.IntN(len(all))])
			s, err := spec.Parse(texts[len(texts)-1])
			if err != nil {
				t.Fatal(err)
			}
			specs = append(specs, s)
		}
		plans, err := fetchargs.Resolve(specs, kernel)
		if err != nil {
			t.Fatalf("%q: %v", texts, err)
		}
		table := map[uint64][]string{} // functions of each bucket, first to last
		for _, next := range plan.DefinitionOrder(plans) {
			p := plans[next.Plan]
			b := bucket(facts[p.Func.Name].Offsets[0])
			if len(p.Of(next.Side)) > 0 && !slices.Contains(table[b], p.Func.Name) {
				table[b] = slices.Insert(table[b], 0, p.Func.Name)
			}
		}
		for _, p := range plans {
			entry := p.Of(dynevent.Entry)
			if len(entry) == 0 {
				continue
			}
			for _, a := range entry[0].Args {
				if a.Name != "kprobe_addr" {
					continue
				}
				counted++
				chain := table[bucket(facts[p.Func.Name].Offsets[0])]
				if at := slices.Index(chain, p.Func.Name); at != len(a.Hops)-1 {
					t.Fatalf("%q: %s is number %d of %q, and it is looked for at %s", texts, p.Func.Name, at, chain, a)
				}
			}
		}
	}
	if counted < 300 {
		t.Errorf("only %d counts", counted)
	}
}

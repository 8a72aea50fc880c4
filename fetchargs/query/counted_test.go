package query_test

import (
	"path/filepath"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/query"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// TestCountedRecorded: a counted value is chosen from a recording by its expression, and
// by its FORMAT if there are several of that.
func TestCountedRecorded(t *testing.T) {
	target := &target.Target{Arch: abi.Named("amd64"), Kernel: btf.Open(filepath.Join("..", "..", "testdata", "btf", "sample.btf"))}
	target.Features, _ = dynevent.FeaturesOf("6.12")
	all, err := spec.Parse("pkt_rcv(pkt->ports[1..2], pkt->cb:u8[16], pkt->cb:x32[4], n=dev->name:str[3], dev->name:char[3])")
	if err != nil {
		t.Fatal(err)
	}
	plans, err := fetchargs.Resolve([]*spec.Spec{all}, target)
	if err != nil {
		t.Fatal(err)
	}
	recorded := saved(t, plans[0])
	for text, want := range map[string]int{ // the count of the last field, 0 if it was not recorded
		"pkt_rcv(pkt->ports[1..2])":              2,
		"pkt_rcv(pkt->ports[1..3])":              0,
		"pkt_rcv(pkt->cb:u8[16])":                16,
		"pkt_rcv(pkt->cb:x32[4])":                4,
		"pkt_rcv(pkt->cb:x32[5])":                0,
		"pkt_rcv(pkt->cb:x32)":                   4,
		"pkt_rcv(pkt->cb:u16[4])":                0,
		"pkt_rcv(n)":                             3,
		"pkt_rcv(n:str[3])":                      3,
		"pkt_rcv(n:str[2])":                      0,
		"pkt_rcv(dev->name:char[3])":             3,
		`pkt_rcv(n) if n == "eth"`:               3,
		"pkt_rcv(pkt->cb) if pkt->cb:u8[16] > 3": 0,
	} {
		s, err := spec.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		chosen, _, err := query.Select([]*spec.Spec{s}, recorded, false, nil)
		if (err == nil) != (want > 0) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if err != nil {
			continue
		}
		got := 0
		for _, f := range chosen[0].Probes[0].Fields {
			if !f.Hidden {
				got = f.Count
			}
		}
		if got != want {
			t.Errorf("%s: %d elements, want %d", text, got, want)
		}
	}
}

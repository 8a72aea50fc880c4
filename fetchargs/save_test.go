package fetchargs_test

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// savedSpecs has everything that plans can hold.
var savedSpecs = []string{
	"ip_rcv(skb->dev->name, skb->len > 100, dev->perm_addr:mac) if skb->len != 5 && (dev->mtu < 1500 || !(dev->name ~ \"e*\"))",
	"ip_rcv(skb, return < 0) if skb->len == skb->data_len",
}

func saveSample(t testing.TB) []byte {
	target := &fetchargs.Target{
		Arch:   abi.Named("amd64"),
		Kernel: btf.Open(filepath.Join("..", "testdata", "btf", "linux-6.12-amd64.btf")),
		Live:   true, Calls: true, Nonce: "abcdef",
	}
	target.Features, _ = fetchargs.FeaturesOf("6.12")
	var specs []*spec.Spec
	for _, text := range savedSpecs {
		spec, err := spec.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, spec)
	}
	plans, err := fetchargs.Resolve(specs, target)
	if err != nil {
		t.Fatal(err)
	}
	data, err := fetchargs.Save(plans)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// FuzzLoad decodes records with plans that came from anywhere.
func FuzzLoad(f *testing.F) {
	f.Add(saveSample(f), []byte("0123456789012345678901234567890123456789012345678901234567890123456789"))
	f.Add([]byte(`{"Version":1}`), []byte{})
	f.Fuzz(func(t *testing.T, data, record []byte) {
		plans, err := fetchargs.Load(data)
		if err != nil {
			if !errors.Is(err, fetchargs.ErrSaved) {
				t.Errorf("%v is no ErrSaved", err)
			}
			return
		}
		for _, plan := range plans {
			decoders := map[*fetchargs.Probe]*value.Decoder{}
			for _, p := range fetchargs.Probes([]*fetchargs.Plan{plan}) {
				i := 0
				slots, err := p.Slots(func(string) (value.Slot, bool) {
					i++
					return value.Slot{Offset: 4 * i, Size: 1 << (i % 4), DataLoc: i%3 == 0}, true
				})
				if err != nil {
					t.Fatal(err)
				}
				d := p.Decoder(slots, binary.LittleEndian, nil)
				for i := range p.Fields {
					d.Value(i, record)
				}
				for _, i := range []int{p.Comm, p.Caller, p.Stack} {
					if i >= 0 {
						d.Text(i, record)
					}
				}
				decoders[p] = d
			}
			plan.Match(decoders[plan.Entry], decoders[plan.Return], record, record)
		}
	})
}

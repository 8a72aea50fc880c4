package fetchargs_test

import (
	"path/filepath"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/store"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TestKnownValues: a value that is known to hold names of constants keeps them through a
// recording; one that has a FORMAT, or only follows it, has none.
func TestKnownValues(t *testing.T) {
	wanted, err := spec.Parse(`ip_rcv(skb->protocol, skb->pkt_type, dev->flags, skb->protocol:x, (u8)dev->type, &skb->protocol, skb->len)`)
	if err != nil {
		t.Fatal(err)
	}
	target := &target.Target{Arch: abi.Named("arm64"), Kernel: btf.Open(filepath.Join("..", "testdata", "btf", "linux-6.12-amd64.btf"))}
	target.Features, _ = dynevent.FeaturesOf("6.12")
	plans, err := fetchargs.Resolve([]*spec.Spec{wanted}, target)
	if err != nil {
		t.Fatal(err)
	}
	data, err := store.Save(plans)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := store.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"skb->protocol": "ethertype", "skb->pkt_type": "packettype", "dev->flags": "iff"}
	for _, plan := range []*plan.Plan{plans[0], loaded[0]} {
		for _, f := range plan.Entry().Fields {
			if set := want[f.Label]; f.Format == "" && f.Set != set {
				t.Errorf("%s has the names %q, want %q", f.Label, f.Set, set)
			} else if f.Format != "" && f.Set != "" {
				t.Errorf("%s:%s has the names %q", f.Label, f.Format, f.Set)
			}
			if direct, _ := f.Macros.Value("O_DIRECT"); direct != 0o200000 {
				t.Errorf("%s has the macros of another host", f.Label)
			}
		}
	}
}

// TestItemNames shows that the name that the user gives to a value does not change how it
// is shown, also in a recording: its member and its type decide.
func TestItemNames(t *testing.T) {
	const iph = "((struct iphdr *)skb->data)"
	forms := map[string]value.Form{
		iph + "->daddr":                     value.IP4,
		iph + "->id":                        value.Decimal,
		"dev->perm_addr":                    value.LongMAC,
		"dev->name":                         value.Char,
		"skb->len":                          value.Decimal,
		"skb->hash":                         value.Decimal,
		"(__be32)skb->len":                  value.Decimal,
		"((struct tcphdr *)skb->data)->seq": value.Decimal,
	}
	for expr, want := range forms {
		for _, name := range []string{"", "x=", "addr=", "saddr=", "mac=", "perm_addr=", "gw=", "daddr="} {
			for _, plan := range planAndSaved(t, "ip_rcv("+name+expr+")") {
				f := &plan.Entry().Fields[0]
				if got := value.NewType(f, false, nil).Form; got != want {
					t.Errorf("%s%s has the form %v, want %v", name, expr, got, want)
				}
			}
		}
	}
}

// planAndSaved returns the plan of a spec on 6.12, and the same from a recording.
func planAndSaved(t *testing.T, text string) []*plan.Plan {
	t.Helper()
	wanted, err := spec.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	target := &target.Target{Arch: abi.Named("amd64"), Kernel: btf.Open(filepath.Join("..", "testdata", "btf", "linux-6.12-amd64.btf"))}
	target.Features, _ = dynevent.FeaturesOf("6.12")
	plans, err := fetchargs.Resolve([]*spec.Spec{wanted}, target)
	if err != nil {
		t.Fatal(err)
	}
	data, err := store.Save(plans)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := store.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	return []*plan.Plan{plans[0], loaded[0]}
}

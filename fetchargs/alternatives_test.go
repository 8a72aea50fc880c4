package fetchargs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/emit"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/query"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/store"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// alternativePlans resolves a spec of which the second of three is taken.
func alternativePlans(t *testing.T) []*plan.Plan {
	g := newGolden(t, "btf sample.btf\nlive xyzzyx")
	parsed, err := spec.Parse("pkt_rxv(len) | pkt_rcv(pkt->len, proto) if proto == 4 | pkt_free()")
	if err != nil {
		t.Fatal(err)
	}
	plans, err := fetchargs.Resolve([]*spec.Spec{parsed}, g.target)
	if err != nil {
		t.Fatal(err)
	}
	return plans
}

// TestChoicesInARow makes each of many choices that follow one another once, and not twice
// for the next one: that would not end.
func TestChoicesInARow(t *testing.T) {
	parsed, err := spec.Parse("dput(dentry" + strings.Repeat("->(none|d_parent)", 30) + "->d_flags)")
	if err != nil {
		t.Fatal(err)
	}
	kernel := &target.Target{Arch: abi.Named("amd64"), Kernel: btf.Open(filepath.Join("..", "testdata", "btf", "linux-6.12-amd64.btf"))}
	kernel.Features.ArgSize = 255
	plans, err := fetchargs.Resolve([]*spec.Spec{parsed}, kernel)
	if err != nil {
		t.Fatal(err)
	}
	hops := 0
	for _, arg := range plans[0].Probes[0].Args {
		hops = max(hops, len(arg.Hops))
	}
	if hops != 31 {
		t.Errorf("%d pointers are followed, not 31", hops)
	}
}

// TestAlternativesSaved has a recording know which of several specs it is of.
func TestAlternativesSaved(t *testing.T) {
	plans := alternativePlans(t)
	data, err := store.Save(plans)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := store.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	lines := func(plans []*plan.Plan) string {
		var b strings.Builder
		emit.Tracefs(&b, plans, "tsnoop", emit.Scope{})
		return b.String() + plans[0].Spec.Alone().String()
	}
	if diff := cmp.Diff(lines(plans), lines(loaded)); diff != "" {
		t.Errorf("-saved +loaded:\n%s", diff)
	}
	for _, nth := range []string{"3", "-1", "99"} {
		damaged := strings.Replace(string(data), `"nth":1`, `"nth":`+nth, 1)
		if _, err := store.Load([]byte(damaged)); err == nil || damaged == string(data) {
			t.Errorf("alternative %s: %v", nth, err)
		}
	}
}

// TestAlternativesSelected chooses from a recording what it has.
func TestAlternativesSelected(t *testing.T) {
	plans := alternativePlans(t)
	for _, c := range []struct{ spec, want string }{
		{"pkt_rxv(len) | pkt_rcv(pkt->len, proto) if proto == 4 | pkt_free()", "pkt_rcv(pkt->len, proto)"},
		{"pkt_free() | pkt_rcv(dev) | pkt_rcv(proto)", "pkt_rcv(proto)"},
		{"pkt_x* | pkt_r*(proto)", "pkt_rcv(proto)"},
		{"pkt_free() | pkt_rcv(dev)", ""},
	} {
		wanted, err := spec.Parse(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		selected, from, err := query.Select([]*spec.Spec{wanted}, plans, false, nil)
		switch {
		case c.want == "":
			if err == nil {
				t.Errorf("%s: no error", c.spec)
			}
		case err != nil:
			t.Errorf("%s: %v", c.spec, err)
		default:
			if got := selected[0].Spec.Alone().String(); len(selected) != 1 || from[0] != 0 || !strings.HasPrefix(got, c.want) {
				t.Errorf("%s: %d plans, the first %s; want %s", c.spec, len(selected), got, c.want)
			}
		}
	}
}

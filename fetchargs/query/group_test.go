package query_test

import (
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/query"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TestGroup: what is not a function is asked for by GROUP:NAME or NAME, and by globs of both.
func TestGroup(t *testing.T) {
	recorded, err := spec.Parse("net:*")
	if err != nil {
		t.Fatal(err)
	}
	own := recorded.For("", "net:rx")
	own.Module = spec.Name{}
	p := &plan.Plan{Spec: own}
	p.Probes = []*plan.Probe{{Plan: p, Side: dynevent.Entry, Fields: []value.Field{{Label: "len", Expr: "len", Encoding: value.Integer, Size: 4}}}}
	for text, found := range map[string]bool{
		"net:rx": true, "net:rx(len)": true, "rx(len)": true, "net:r*(len)": true, "*x": true, "net:*": true,
		"net:tx": false, "skb:rx": false, "tx": false, "net:t*": false, "net:rx(other)": false,
	} {
		wanted, err := spec.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		selected, _, err := query.Select([]*spec.Spec{wanted}, []*plan.Plan{p}, false, nil)
		if got := err == nil && len(selected) == 1; got != found {
			t.Errorf("%s: found %t, want %t: %v", text, got, found, err)
		}
	}
}

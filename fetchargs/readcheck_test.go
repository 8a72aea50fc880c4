package fetchargs_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
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

// TestDamagedReadChecks: what is in a file may be anything.
func TestDamagedReadChecks(t *testing.T) {
	parsed, err := spec.Parse("dev_open(*(u64 *)filename)")
	if err != nil {
		t.Fatal(err)
	}
	target := &target.Target{
		Arch:   abi.Named("amd64"),
		Kernel: btf.Open(filepath.Join("..", "testdata", "btf", "sample.btf")),
		Live:   true,
	}
	target.Features, _ = dynevent.FeaturesOf("6.12")
	plans, err := fetchargs.Resolve([]*spec.Spec{parsed}, target)
	if err != nil {
		t.Fatal(err)
	}
	good, err := store.Save(plans)
	if err != nil {
		t.Fatal(err)
	}
	proof := regexp.MustCompile(`"proof":\{[^}]*\}`)
	for text, ok := range map[string]bool{
		`{"kind":"itself","args":[1],"trial":2}`: true, `{"kind":"itself","args":[99],"trial":2}`: false,
		`{"kind":"itself","args":[-1],"trial":2}`: false, `{"kind":"itself","args":[1],"trial":99}`: false,
		`{"kind":"itself","args":[1],"trial":-1}`: false, `{"kind":"7","args":[1],"trial":2}`: false, `{"args":[1],"trial":2}`: false,
		`{"kind":"counted","args":[1,1],"trial":0,"read":2,"reads":1}`: true, `{"kind":"counted","args":[1],"trial":0,"read":2,"reads":1}`: false,
		`{"kind":"counted","args":[1,1],"trial":0,"read":1,"reads":1}`: false, `{"kind":"counted","args":[1,1],"trial":0,"read":2,"reads":99}`: false,
		`{"kind":"witnessed","args":[1],"trial":0,"read":2,"reads":1}`: true, `{"kind":"witnessed","args":[],"trial":0,"read":2,"reads":1}`: false,
		`{"kind":"witnessed","args":[1],"trial":0,"read":1,"reads":1}`: false, `{"kind":"witnessed","args":[99],"trial":0,"read":2,"reads":1}`: false,
		`{"kind":"through","args":[1],"trial":2,"read":2,"last":2}`: true, `{"kind":"through","args":[1],"trial":2,"read":99}`: false,
		`{"kind":"through","args":[1],"trial":2,"last":99}`: false, `{"kind":"through","args":[1],"trial":2,"last":-1}`: false,
	} {
		for _, part := range []string{`"proof":`, `"proof":null,"head":`} {
			_, err := store.Load(proof.ReplaceAll(good, []byte(part+text)))
			if !proof.Match(good) || (err == nil) != ok {
				t.Errorf("%s%s: %v", part, text, err)
			}
		}
	}
}

// writeProofs writes what proves that the memory of each value was there.
func (c *golden) writeProofs(w *bytes.Buffer, plans []*plan.Plan) {
	for _, p := range plan.Probes(plans) {
		write := func(of string, check *value.ReadCheck) {
			if check == nil {
				return
			}
			fmt.Fprintf(w, "%s: bytes %d to %d: %s", of, check.From, check.To, check.Kind)
			for _, i := range check.Args {
				fmt.Fprintf(w, " %s", p.Args[i])
			}
			fmt.Fprintf(w, ", any %t, trial %d, read %d+%d, last %d\n", check.Any, check.Trial, check.Read, check.Reads, check.Last)
		}
		for _, f := range p.Fields {
			for _, g := range f.PointerChecks {
				write(f.Label+", "+g.Label, g.ReadCheck)
				write(f.Label+", head of "+g.Label, g.Head)
			}
			if f.Dump != nil {
				for _, window := range f.Dump.Windows {
					write(fmt.Sprintf("%s, from %d to %d", f.Label, window.Start, window.End), window.ReadCheck)
				}
			}
		}
	}
}

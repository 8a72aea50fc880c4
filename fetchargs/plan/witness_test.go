package plan

import (
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TestUseWitness: the definitions and the check of a plan get the addresses of the witness, and no
// others.
func TestUseWitness(t *testing.T) {
	count := dynevent.Arg{Name: "faults", Base: dynevent.Base{Kind: dynevent.Memory, Name: dynevent.Witness, N: 32}, Type: dynevent.X64}
	other := dynevent.Arg{Name: "other", Base: dynevent.Base{Kind: dynevent.Memory, Name: "jiffies"}, Type: dynevent.X64}
	check := &value.ReadCheck{Kind: value.Witnessed}
	strings := &value.ReadCheck{Kind: value.Through}
	fields := []value.Field{{}, {Dump: &value.Extent{Windows: []value.Window{{ReadCheck: check}}}}}
	probe := &Probe{Kind: dynevent.Kprobe, Event: "e", Symbols: []string{"f"}, Args: []dynevent.Arg{count, other}, Fields: fields}
	plans := []*Plan{{Probes: []*Probe{probe}}}
	if !Witnessed(plans) || Faults(plans) {
		t.Error("a plan with a witness has none, or strings that fault")
	}
	UseWitness(plans, Witness{Kprobe: 0xffff_8880_1234_5680, Addr: 0xffff_ffff_8100_2005, Start: 0xffff_8000_0000_0000})
	const want = "p:g/e f faults=@0xffff8880123456a0:x64 other=@jiffies:x64"
	if got := probe.Placed("g"); len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
	if check.Addr != 0xffff_ffff_8100_2005 || check.End != 0xffff_8000_0000_0000 {
		t.Errorf("%+v", check)
	}
	for _, f := range []value.Field{
		{PointerChecks: []value.PointerCheck{{ReadCheck: strings}}},
		{PointerChecks: []value.PointerCheck{{ReadCheck: check, Head: strings}}},
		{Dump: &value.Extent{Windows: []value.Window{{ReadCheck: check}, {ReadCheck: strings}}}},
	} {
		probe.Fields = []value.Field{{}, f}
		if !Faults(plans) {
			t.Errorf("%+v does not fault", f)
		}
	}
	probe.Args = probe.Args[1:]
	if Witnessed(plans) {
		t.Error("a plan without a witness has one")
	}
}

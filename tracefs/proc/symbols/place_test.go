package symbols

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLookupPlace(t *testing.T) {
	const text = `0000000000000000 D __per_cpu_start
0000000000033440 A runqueues
0000000000034000 A __per_cpu_end
ffffffff81000000 T _stext
ffffffff81000040 t twice
ffffffff81000080 T ip_rcv
ffffffff81000100 T _etext
ffffffff82000000 T nr_cpu_ids
ffffffff82000004 d alias
ffffffff82000004 d alias_too
ffffffff82000040 B last
ffffffff83000000 T _sinittext
ffffffff83000010 t start_kernel
ffffffff83001000 T _einittext
ffffffffc0001000 t mod_func	[mod]
ffffffffc0002000 d mod_data	[mod]
ffffffffc0002008 d twice	[mod]
`
	for name, want := range map[string]Place{
		"nothing":      {},
		"nr_cpu":       {},
		"nr_cpu_ids":   {Addrs: []uint64{0xffffffff82000000}, Room: 4}, // T as on 7.3
		"alias":        {Addrs: []uint64{0xffffffff82000004}, Room: 0x3c},
		"ip_rcv":       {Addrs: []uint64{0xffffffff81000080}, Function: true, Room: 0x80},
		"start_kernel": {Addrs: []uint64{0xffffffff83000010}, Function: true, Room: 0xff0},
		"runqueues":    {Addrs: []uint64{0x33440}, PerCPU: true, Room: 0xbc0},
		"mod_func":     {Addrs: []uint64{0xffffffffc0001000}, Function: true, Module: true, Room: 0x1000},
		"mod_data":     {Addrs: []uint64{0xffffffffc0002000}, Module: true, Room: 8},
		"twice":        {Addrs: []uint64{0xffffffff81000040, 0xffffffffc0002008}, Function: true, Room: 0x40},
	} {
		if diff := cmp.Diff(want, lookupPlace([]byte(text), name)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	hidden := "0000000000000000 T _stext\n0000000000000000 D jiffies\n"
	if diff := cmp.Diff(Place{Addrs: []uint64{0}, Hidden: true}, lookupPlace([]byte(hidden), "jiffies")); diff != "" {
		t.Errorf("hidden: -want +got:\n%s", diff)
	}
}

package target

import (
	"path/filepath"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
)

// TestWitnessOf: the place of a witness is known only with all types and both symbols.
func TestWitnessOf(t *testing.T) {
	known := map[string][]uint64{"kprobe_table": {0x1000}, WitnessFunction: {0x2000}}
	addrs := func(symbol string) []uint64 { return known[symbol] }
	open := func(name string) *btf.Kernel {
		return btf.Open(filepath.Join("..", "..", "testdata", "btf", name))
	}
	w := WitnessOf(open("linux-6.12-amd64.btf"), addrs)
	if w == nil {
		t.Skip("this BTF lacks struct trace_kprobe")
	}
	if want := (Witness{List: 16, Misses: 32, Addr: 40, Flags: 120, Event: 200, ID: 128, Table: 0x1000, Function: 0x2000}); *w != want {
		t.Errorf("%+v, want %+v", *w, want)
	}
	if w := WitnessOf(open("sample.btf"), addrs); w != nil {
		t.Errorf("without types: %+v", *w)
	}
	for symbol, all := range known {
		for _, wrong := range [][]uint64{nil, {1, 2}} {
			known[symbol] = wrong
			if w := WitnessOf(open("linux-6.12-amd64.btf"), addrs); w != nil {
				t.Errorf("%s at %v: %+v", symbol, wrong, *w)
			}
		}
		known[symbol] = all
	}
}

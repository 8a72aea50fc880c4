package target

import (
	"os"
	"path/filepath"
	"testing"

	cbtf "github.com/cilium/ebpf/btf"

	"github.com/tsnoop/tsnoop/btf"
)

// A place is where a member of a struct is, in bytes.
type place struct {
	in, name string
	at       uint32
}

// probeTypes are the types that show a witness, as 6.12 has them on amd64.
var probeTypes = []place{
	{"kprobe", "hlist", 0}, {"kprobe", "list", 16}, {"kprobe", "nmissed", 32}, {"kprobe", "addr", 40}, {"kprobe", "flags", 120},
	{"kretprobe", "kp", 0}, {"trace_kprobe", "rp", 24}, {"trace_kprobe", "tp", 208}, {"trace_probe", "event", 16},
	{"trace_probe_event", "call", 16}, {"trace_event_call", "event", 80}, {"trace_event", "type", 32},
}

// kernelWith returns a kernel with these types.
func kernelWith(t *testing.T, places []place) *btf.Kernel {
	t.Helper()
	structs := map[string]*cbtf.Struct{}
	var types []cbtf.Type
	word := &cbtf.Int{Name: "long", Size: 8}
	for _, p := range places {
		s := structs[p.in]
		if s == nil {
			s = &cbtf.Struct{Name: p.in, Size: 256}
			structs[p.in] = s
			types = append(types, s)
		}
		s.Members = append(s.Members, cbtf.Member{Name: p.name, Type: word, Offset: cbtf.Bits(8 * p.at)})
	}
	b, err := cbtf.NewBuilder(types, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := b.Marshal(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "vmlinux")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return btf.Open(file)
}

// TestWitnessOf: the place of a witness is known only with all types and both symbols.
func TestWitnessOf(t *testing.T) {
	known := map[string][]uint64{"kprobe_table": {0x1000}, WitnessFunction: {0x2000}}
	addrs := func(symbol string) []uint64 { return known[symbol] }
	k := kernelWith(t, probeTypes)
	want := Witness{List: 16, Misses: 32, Addr: 40, Flags: 120, Event: 200, ID: 128, Table: 0x1000, Function: 0x2000}
	if w := WitnessOf(k, addrs); w == nil || *w != want {
		t.Errorf("%+v, want %+v", w, want)
	}
	for i, p := range probeTypes {
		without := append(append([]place(nil), probeTypes[:i]...), probeTypes[i+1:]...)
		if w := WitnessOf(kernelWith(t, without), addrs); w != nil {
			t.Errorf("without %s.%s: %+v", p.in, p.name, *w)
		}
	}
	for symbol, all := range known {
		for _, wrong := range [][]uint64{nil, {1, 2}} {
			known[symbol] = wrong
			if w := WitnessOf(k, addrs); w != nil {
				t.Errorf("%s at %v: %+v", symbol, wrong, *w)
			}
		}
		known[symbol] = all
	}
}

package witness

import (
	"maps"
	"testing"
)

const line = "        tsnoop-156     [001] .....    12.345678: trial: (__x64_sys_sched_get_priority_max+0x4/0x90) list=0xffff88de0672ee28 addr=0xffffffff8a8a7749 flags=0x0 id=0x5d3 before=0x7 bad=0x1234 after=0x8\n"

// TestTrial: a trial proves only that the count of our own probe rises once with a fault.
func TestTrial(t *testing.T) {
	const addr, id = 0xffffffff8a8a7749, 0x5d3
	good, ok := parseTrial(line)
	if want := (trial{"list": 0xffff88de0672ee28, "addr": addr, "flags": 0, "id": id, "before": 7, "bad": 0x1234, "after": 8}); !ok || !maps.Equal(good, want) {
		t.Fatalf("%v, want %v", good, want)
	}
	if !good.proves(addr, id) {
		t.Error("the trial proves nothing")
	}
	for name, values := range map[string][]uint64{"addr": {0, addr + 4}, "flags": {1, 2, 8}, "id": {0, id + 1}, "after": {6, 7, 9}, "before": {6, 8}} {
		for _, n := range values {
			bad := maps.Clone(good)
			if bad[name] = n; bad.proves(addr, id) {
				t.Errorf("it proves something with %s=%#x", name, n)
			}
		}
	}
}

// TestParseTrial: other lines are not taken for a trial, whatever a task is called.
func TestParseTrial(t *testing.T) {
	for _, text := range []string{
		"", "\n", "# tracer: nop", " tsnoop-1 [000] 1.0: witness: (fixup_exception+0x9/0x10)",
		": trial: (", ": trial: (f) list=1 addr=2 flags=3 id=4 before=5 bad=6", // cut
		": trial: (f) list=x addr=2 flags=3 id=4 before=5 bad=6 after=7",
		": trial: (f) list=1 addr=2 flags=3 id=4 before=5 bad=6 after=7 more=8",
	} {
		if got, ok := parseTrial(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
	named := ": trial: (a=1 b-1 [000]" + line
	if got, ok := parseTrial(named); !ok || got["id"] != 0x5d3 {
		t.Errorf("%q: %v", named, got)
	}
}

func TestKernelStart(t *testing.T) {
	for addr, want := range map[uint64]uint64{
		0xffff_8880_0000_1000: 0xffff_8000_0000_0000, 0xffff_8000_0000_0000: 0xffff_8000_0000_0000, // x86 with 4 levels
		0xff11_0000_0000_1000: 0xff00_0000_0000_0000, // x86 with 5
		0xffff_4e5a_08f9_e228: 0xff00_0000_0000_0000, // arm64
	} {
		if got := kernelStart(addr); got != want {
			t.Errorf("%#x: %#x, want %#x", addr, got, want)
		}
	}
}

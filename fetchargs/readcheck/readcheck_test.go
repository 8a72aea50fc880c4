package readcheck

import (
	"slices"
	"testing"

	"github.com/cilium/ebpf/btf"
	"github.com/tsnoop/tsnoop/fetchargs/route"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TestWindowsOf: values in and around a struct that begins 16 bytes from the pointer.
func TestWindowsOf(t *testing.T) {
	for _, tt := range []struct {
		whole    uint32 // bytes of the struct; 0 for none
		at, size int64
		starts   []int64
		any      bool
	}{
		{40, 16, 8, []int64{16}, false},
		{0, 16, 8, []int64{16}, false},
		{40, 20, 9, []int64{20, 21}, false},
		{40, 20, 16, []int64{20, 28}, false},
		{40, 15, 4, []int64{15, 11}, true},
		{40, 16, 4, []int64{16}, false},
		{40, 25, 2, []int64{24}, false},
		{40, 29, 4, []int64{25}, false},
		{40, 52, 4, []int64{48}, false},
		{40, 53, 4, []int64{53, 49}, true},
		{12, 24, 2, []int64{20}, false},
		{8, 18, 2, []int64{16}, false},
		{7, 18, 2, []int64{18, 12}, true},
		{0, 18, 2, []int64{18, 12}, true},
	} {
		l := route.Label{Start: 16}
		if tt.whole > 0 {
			l.Target = &btf.Struct{Size: tt.whole}
		}
		starts, any := windowsOf(l, tt.at, tt.size)
		if !slices.Equal(starts, tt.starts) || any != tt.any {
			t.Errorf("%d bytes at %d of %d: %v, %v; want %v, %v", tt.size, tt.at, tt.whole, starts, any, tt.starts, tt.any)
		}
	}
}

// TestCountRoom: each read has a count before and after it; the last line has the kprobes of the
// bucket up to its own, and that one's address.
func TestCountRoom(t *testing.T) {
	for _, tt := range []struct{ reads, depth, want int }{{0, 0, 32}, {1, 0, 48}, {0, 1, 40}, {2, 3, 88}} {
		v := Builder{counter: &Counter{FaultCount: target.FaultCount{}, depth: tt.depth}, reads: make([]*value.ReadCheck, tt.reads)}
		if got := v.CountRoom(); got != tt.want {
			t.Errorf("%d reads, %d kprobes before: %d bytes, want %d", tt.reads, tt.depth, got, tt.want)
		}
	}
}

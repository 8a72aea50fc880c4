//go:build vm

package host

import (
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/tracefs"
)

// TestVMEnumTables: the tables of the kernel's own flags agree with its enums, where
// there are any: those of gfp_t since 6.10, of vm_flags since 7.0.
func TestVMEnumTables(t *testing.T) {
	fs, err := tracefs.Find()
	if err != nil {
		t.Fatal(err)
	}
	target, err := New(fs).Target(PlanOptions{Lines: true})
	if err != nil {
		t.Fatal(err)
	}
	table := constants.For(target.Arch.Name)
	known := 0
	for _, c := range []struct{ first, before, mine, after string }{ // the enum's first; what its names have in the place of mine, and after the rest
		{"___GFP_DMA_BIT", "___GFP_", "__GFP_", "_BIT"}, {"VMA_READ_BIT", "VMA_", "VM_", "_BIT"},
		{"FAULT_FLAG_WRITE", "FAULT_FLAG_", "FAULT_FLAG_", ""}, {"VM_FAULT_OOM", "VM_FAULT_", "VM_FAULT_", ""},
	} {
		enums, err := target.Kernel.Constant(c.first)
		if err != nil {
			t.Logf("%v", err)
			continue
		}
		for _, v := range enums[0].Values {
			name := c.mine + strings.TrimSuffix(strings.TrimPrefix(v.Name, c.before), c.after)
			mine, ok := table.Value(name)
			if !ok {
				continue
			}
			n := int64(v.Value)
			if c.after != "" {
				n = 1 << n
			}
			if known++; n != mine {
				t.Errorf("%s is %#x, the kernel says %#x", name, mine, n)
			}
		}
	}
	t.Logf("%d names", known)
}

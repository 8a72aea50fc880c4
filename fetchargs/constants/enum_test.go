package constants

import (
	"reflect"
	"testing"
)

// kernelEnums are parts of the enums of 6.12, and constants that do not belong into a set.
func kernelEnums(constant string) []Constant {
	return map[string][]Constant{
		"FAULT_FLAG_WRITE": {{"FAULT_FLAG_WRITE", 1}, {"FAULT_FLAG_ORIG_PTE_VALID", 0x800}, {"FAULT_FLAG_VMA_LOCK", 0x1000}, {"evil\x1b[2J", 0x2000}},
		"___GFP_DMA_BIT":   {{"___GFP_DMA_BIT", 0}, {"___GFP_UNUSED_BIT", 9}, {"___GFP_ZEROTAGS_BIT", 23}, {"___GFP_LAST_BIT", 26}, {"other", 27}, {"___GFP_FAR_BIT", 64}},
		"TCP_ESTABLISHED":  {{"TCP_ESTABLISHED", 1}, {"TCP_OTHER", 14}, {"TCP_MAX_STATES", 15}},
		"SOCK_STREAM":      {{"SOCK_STREAM", 1}, {"SOCK_NEW", 11}},
	}[constant]
}

func TestForKernel(t *testing.T) {
	table := For("amd64").ForKernel(kernelEnums)
	for _, c := range []struct {
		set  string
		x    uint64
		want string
	}{
		{"fault", 0x1801, "FAULT_FLAG_WRITE|FAULT_FLAG_ORIG_PTE_VALID|FAULT_FLAG_VMA_LOCK"},
		{"fault", 0x2002, "FAULT_FLAG_MKWRITE|0x2000"},
		{"gfp", 0x800cc1, "GFP_KERNEL|__GFP_DMA|__GFP_ZEROTAGS"},
		{"gfp", 0x200, "__GFP_UNUSED"},
		{"gfp", 1 << 26, "0x4000000"},
		{"tcpstate", 1, "TCP_ESTABLISHED"},
		{"tcpstate", 7, "TCP_CLOSE"},
		{"tcpstate", 14, "TCP_OTHER"},
		{"tcpstate", 15, "15"},
		{"sockettype", 0x80b, "SOCK_NEW|SOCK_NONBLOCK"},
		{"open", 0x41, "O_WRONLY|O_CREAT"},
	} {
		if got := string(table.Set(c.set).Append(nil, c.x)); got != c.want {
			t.Errorf("%s %#x: %s, want %s", c.set, c.x, got, c.want)
		}
	}
	for name, want := range map[string]int64{"__GFP_ZEROTAGS": 1 << 23, "__GFP_COMP": 0x40000, "O_CREAT": 0o100, "__GFP_NONE": 0, "VM_SEALED": 0} {
		if got, ok := table.Value(name); got != want || ok != (want != 0) {
			t.Errorf("%s is %#x, %t", name, got, ok)
		}
	}
	if again := table.Enums(); !reflect.DeepEqual(again["TCP_ESTABLISHED"], kernelEnums("TCP_ESTABLISHED")) || len(again) != 4 {
		t.Errorf("%v", again)
	}
	if For("amd64").Enums() != nil || For("riscv64").ForKernel(kernelEnums) != nil {
		t.Error("enums of no kernel")
	}
}

package tracefs

import "testing"

func TestElemSize(t *testing.T) {
	for _, tt := range []struct {
		decl string
		want int
	}{
		{"u8 b[4]", 1}, {"u16 w[]", 2}, {"s32 n", 4}, {"x64 v[2]", 8},
		{"const char comm[16]", 1}, {"unsigned short a[3]", 2}, {"unsigned int n", 4}, {"int a[2]", 4},
		{"unsigned long caller[8]", 8}, {"long long n", 8}, {"const unsigned long n", 8}, {"struct file * f", 8}, {"pid_t pid", 1},
		{"__data_loc char[] s", 4}, {"__data_loc char[][2] s", 4}, {"__rel_loc char[] s", 4}, {"__data_loc cpumask_t mask", 4},
	} {
		var f FormatField
		f.declare(tt.decl)
		if got := f.ElemSize(); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.decl, got, tt.want)
		}
	}
}

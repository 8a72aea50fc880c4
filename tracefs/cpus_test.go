package tracefs

import "testing"

func TestCPUMask(t *testing.T) {
	for _, tt := range []struct {
		cpus []int
		want string
	}{
		{[]int{0}, "00000001"},
		{[]int{1, 3, 31}, "8000000a"},
		{[]int{32}, "00000001,00000000"},
		{[]int{70, 0, 33}, "00000040,00000002,00000001"},
	} {
		if got := cpuMask(tt.cpus); got != tt.want {
			t.Errorf("cpuMask(%v) = %s, want %s", tt.cpus, got, tt.want)
		}
	}
}

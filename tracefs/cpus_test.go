package tracefs

import (
	"slices"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs/proc"
)

func TestParseCPUs(t *testing.T) {
	for list, want := range map[string][]int{
		"0\n":           {0},
		"0-3":           {0, 1, 2, 3},
		"0-1,8,10-11\n": {0, 1, 8, 10, 11},
		"3, 1-2,2":      {1, 2, 3},
		"":              nil,
		"3-1":           nil,
		"a":             nil,
		"-":             nil,
		"1,":            nil,
		"0-4294967295":  nil,
	} {
		if got, err := ParseCPUs(list); !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: got %v, %v, want %v", list, got, err, want)
		}
	}
	list, err := proc.OnlineCPUs()
	if err != nil {
		t.Fatal(err)
	}
	if cpus, err := ParseCPUs(list); err != nil || len(cpus) == 0 {
		t.Errorf("this host: %q is %v, %v", list, cpus, err)
	}
}

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
		if got := CPUMask(tt.cpus); got != tt.want {
			t.Errorf("CPUMask(%v) = %s, want %s", tt.cpus, got, tt.want)
		}
	}
}

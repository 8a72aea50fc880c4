package proc

import "testing"

func TestCountCPUs(t *testing.T) {
	for list, want := range map[string]int{"0\n": 1, "0-3": 4, "0-3,8,10-11\n": 7, "": -1, "3-1": -1, "a": -1, "-": -1} {
		n, err := countCPUs(list)
		if err != nil {
			n = -1
		}
		if n != want {
			t.Errorf("%q: got %d (%v), want %d", list, n, err, want)
		}
	}
	if n, err := OnlineCPUs(); err != nil || n < 1 {
		t.Errorf("this machine: got %d, %v", n, err)
	}
}

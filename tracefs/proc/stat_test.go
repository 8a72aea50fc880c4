package proc

import "testing"

func TestParseStarted(t *testing.T) {
	for text, want := range map[string]uint64{
		"cpu  1 2\nbtime 17\nprocesses 4711\nprocs_running 3\n": 4711,
		"cpu  1 2\nprocs_running 3\n":                           0,
		"":                                                      0,
	} {
		if got := parseStarted([]byte(text)); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
	if Started() == 0 {
		t.Error("no tasks have started here")
	}
}

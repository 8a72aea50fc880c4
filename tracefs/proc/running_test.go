package proc

import "testing"

func TestRuns(t *testing.T) {
	for stat, want := range map[string]bool{
		"7 (a) R 1 7":        true,
		"7 (a) S 1 7":        false,
		"7 (a) R (b) D 1 7":  false,
		"7 (x) S y) R 1 7 8": true,
	} {
		if runs(stat) != want {
			t.Errorf("%q runs: %t", stat, !want)
		}
	}
}

func TestOnlyOneRuns(t *testing.T) {
	for loadavg, want := range map[string]bool{
		"0.20 0.18 0.12 1/80 11206\n":  true,
		"0.20 0.18 0.12 2/80 11206\n":  false,
		"0.20 0.18 0.12 11/80 11206\n": false,
	} {
		if onlyOneRuns(loadavg) != want {
			t.Errorf("%q: only one runs: %t", loadavg, !want)
		}
	}
}

func TestFunctionIn(t *testing.T) {
	for line, want := range map[string]string{
		"[<0>] hrtimer_nanosleep+0x9a/0x160\n":   "hrtimer_nanosleep",
		"[<0>] dm_blk_ioctl+0x76/0x100 [dm_mod]": "dm_blk_ioctl",
		"[<ffffffff81000000>] f.isra.0+0x1/0x2":  "f.isra.0",
		"[<0>] 0xffffffffc0000000":               "0xffffffffc0000000",
	} {
		if got := functionIn(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

package proc

import (
	"strings"
	"testing"
)

func TestParseUserEnd(t *testing.T) {
	const (
		before = "4 (a) b) S 1 4 4 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 100 1000 100 18446744073709551615 1 1 "
		after  = " 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
	)
	for _, tt := range []struct {
		text string
		want uint64 // 0 for an error
	}{
		{before + "140736414611232" + after, 0x7fff_ffff_f000},
		{before + "281474976710000" + after, 0xffff_ffff_f000},
		{before + "549755813000" + after, 0x7f_ffff_f000},
		{before + "0" + after, 0},
		{before + "x" + after, 0},
		{before, 0},
		{"", 0},
	} {
		got, err := ParseUserEnd(strings.NewReader(tt.text))
		if got != tt.want || (err == nil) != (tt.want != 0) {
			t.Errorf("%s: %#x, %v, want %#x", tt.text, got, err, tt.want)
		}
	}
}

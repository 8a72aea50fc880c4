package render

import (
	"math"
	"slices"
	"testing"
)

func TestDuration(t *testing.T) {
	tests := []struct {
		ns   uint64
		want string
	}{
		{0, "0ns"}, {7, "7ns"}, {999, "999ns"},
		{1000, "1.00us"}, {1004, "1.00us"}, {1005, "1.01us"}, {12345, "12.3us"}, {99949, "99.9us"}, {99950, "100us"},
		{123456, "123us"}, {999499, "999us"}, {999500, "1.00ms"},
		{1234567, "1.23ms"}, {999499999, "999ms"}, {999500000, "1.00s"},
		{1200000000, "1.20s"}, {61e9, "61.0s"}, {1234e9, "1234s"},
	}
	for _, tt := range tests {
		if got := string(AppendDuration(nil, tt.ns)); got != tt.want {
			t.Errorf("%d ns: got %s, want %s", tt.ns, got, tt.want)
		}
	}
	AppendDuration(nil, math.MaxUint64) // must end
}

func TestTimeModes(t *testing.T) {
	for i, name := range TimeModes() {
		m, err := ParseTimeMode(name)
		if err != nil || m != TimeMode(i) || m.String() != name {
			t.Errorf("%q: got %v, %v, want mode %d", name, m, err, i)
		}
	}
	if _, err := ParseTimeMode("unknown"); err == nil {
		t.Error(`"unknown" is a mode`)
	}
	if want := []string{"rel", "delta", "clock", "boot", "none"}; !slices.Equal(TimeModes(), want) {
		t.Errorf("got %q, want %q", TimeModes(), want)
	}
}

package output

import (
	"testing"
	"time"
)

// TestZone: TZ has the meaning that it has for other programs, or is reported.
func TestZone(t *testing.T) {
	defer func(was *time.Location) { time.Local = was }(time.Local)
	untouched := time.FixedZone("untouched", 60)
	summer, winter := time.Unix(1_000_000_000, 0), time.Unix(1_010_000_000, 0)
	for _, tt := range []struct{ tz, unknown, summer, winter string }{
		{"EST5", "", "2001-09-08T20:46:40-05:00", "2002-01-02T14:33:20-05:00"},
		{":EST5EDT4,M3.2.0,M11.1.0", "", "2001-09-08T21:46:40-04:00", "2002-01-02T14:33:20-05:00"},
		{"CET-1CEST,M3.5.0,M10.5.0/3", "", "2001-09-09T03:46:40+02:00", "2002-01-02T20:33:20+01:00"},
		{"<+0330>-3:30", "", "2001-09-09T05:16:40+03:30", "2002-01-02T23:03:20+03:30"},
		{"Asia/Nowhere", "Asia/Nowhere", "", ""},
		{":nonsense", ":nonsense", "", ""},
		{"/no/such/file", "/no/such/file", "", ""},
		{"/dev/null", "", "", ""}, // package time reads it
		{"UTC", "", "", ""},
		{"", "", "", ""},
	} {
		time.Local = untouched
		t.Setenv("TZ", tt.tz)
		unknown := setZone()
		got := [2]string{}
		if time.Local != untouched {
			got = [2]string{summer.Local().Format(time.RFC3339), winter.Local().Format(time.RFC3339)}
		}
		if want := [2]string{tt.summer, tt.winter}; unknown != tt.unknown || got != want {
			t.Errorf("%q: unknown %q, %q, want %q, %q", tt.tz, unknown, got, tt.unknown, want)
		}
	}
}

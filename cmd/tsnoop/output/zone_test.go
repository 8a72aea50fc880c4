package output

import (
	"testing"
	"time"
)

// TestZone: TZ has the meaning that it has for other programs, or is reported.
func TestZone(t *testing.T) {
	summer, winter := time.Unix(1_000_000_000, 0), time.Unix(1_010_000_000, 0)
	for _, tt := range []struct {
		tz             string
		ok             bool
		summer, winter string
	}{
		{"EST5", true, "2001-09-08T20:46:40-05:00", "2002-01-02T14:33:20-05:00"},
		{":EST5EDT4,M3.2.0,M11.1.0", true, "2001-09-08T21:46:40-04:00", "2002-01-02T14:33:20-05:00"},
		{"CET-1CEST,M3.5.0,M10.5.0/3", true, "2001-09-09T03:46:40+02:00", "2002-01-02T20:33:20+01:00"},
		{"<+0330>-3:30", true, "2001-09-09T05:16:40+03:30", "2002-01-02T23:03:20+03:30"},
		{"Asia/Nowhere", false, "", ""},
		{":nonsense", false, "", ""},
		{"/no/such/file", false, "", ""},
		{"/dev/null", true, "", ""}, // package time reads it
		{"UTC", true, "", ""},
		{"", true, "", ""},
	} {
		zone, ok := zoneOf(tt.tz)
		got := [2]string{}
		if zone != nil {
			got = [2]string{summer.In(zone).Format(time.RFC3339), winter.In(zone).Format(time.RFC3339)}
		}
		if want := [2]string{tt.summer, tt.winter}; ok != tt.ok || got != want {
			t.Errorf("%q: %t, %q, want %t, %q", tt.tz, ok, got, tt.ok, want)
		}
	}
}

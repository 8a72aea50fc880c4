package tracefs

import (
	"strings"
	"testing"
)

// TestCPUStats reads the kernel's figures with what tsnoop adds in a recording.
func TestCPUStats(t *testing.T) {
	const text = `entries: 3
overrun: 100
commit overrun: 20
bytes: 144
oldest event ts:  2745.132543
now ts:  2757.302120
dropped events: 7
read events: 4000
` + skippedKey + ": 61\n"
	want := CPUStats{Entries: 3, Overrun: 100, CommitOverrun: 20, Bytes: 144, Dropped: 7, Read: 4000, Skipped: 61}
	got, err := ParseCPUStats(strings.NewReader(text))
	if err != nil || got != want || got.Lost() != 188 {
		t.Errorf("got %+v, %d lost, %v; want %+v, 188 lost", got, got.Lost(), err, want)
	}
	if got, err := ParseCPUStats(strings.NewReader("CPU: 0\noverrun: many\n")); err == nil {
		t.Errorf("no error, but %+v", got)
	}
}

package proc

import (
	"fmt"
	"strings"
	"testing"
)

// timerList is the list of 5.10 21 s after the boot, without its timers.
const timerList = `Timer List Version: v0.8
HRTIMER_MAX_CLOCK_BASES: 8
now at 21558579860 nsecs

cpu: 0
 clock 0:
  .base:       (____ptrval____)
active timers:
  .idle_jiffies   : 4294897579
  .last_jiffies   : 4294897579
jiffies: 4294897686

cpu: 1
jiffies: 4294897687
`

func TestParseTimerList(t *testing.T) {
	at := func(seconds float64, hz int) string {
		return fmt.Sprintf("now at %.0f nsecs\njiffies: %d\n", seconds*1e9, 1<<32+int64((seconds-300)*float64(hz)))
	}
	for _, tt := range []struct {
		text string
		want int
	}{
		{timerList, 250},
		{at(0.5, 1000), 1000},
		{at(299, 1000), 0}, // the moment at which it cannot be known
		{at(301, 100), 0},
		{at(310, 256), 0}, // and so long is 250 with a quarter of a second of ticks that are late
		{at(361, 256), 256},
		{at(361, 250), 250},
		{at(239, 300), 300},
		{at(1e7, 100), 100},
		{at(1e7, 1200), 1200},
		{at(100, 400), 0}, // no kernel has that
	} {
		if got, err := ParseTimerList(strings.NewReader(tt.text)); got != tt.want || err != nil {
			t.Errorf("ParseTimerList(%.80q): got %d, %v, want %d", tt.text, got, err, tt.want)
		}
	}
	for _, text := range []string{"", "now at x nsecs", "now at 5 nsecs\n", "jiffies: 5\n", "now at 5 nsecs\njiffies: 99999999999999999999\n"} {
		if hz, err := ParseTimerList(strings.NewReader(text)); err == nil {
			t.Errorf("ParseTimerList(%q): got %d, want an error", text, hz)
		}
	}
}

package losses

import (
	"errors"
	"slices"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
)

func TestLossesTell(t *testing.T) {
	lost := []tracefs.CPUStats{{CPU: 0, Overrun: 5}, {CPU: 1}, {CPU: 3, Overrun: 7}}
	for _, tt := range []struct {
		name   string
		losses Losses
		want   []tracefs.Warning
	}{
		{"none", Losses{CPUs: make([]tracefs.CPUStats, 4)}, nil},
		{"not known", Losses{Err: errors.New("no stats")}, []tracefs.Warning{{Text: "whether events were lost is not known: no stats"}}},
		{"live", Losses{CPUs: lost, BufferKB: 1408}, []tracefs.Warning{{Text: "12 events were lost in all: 5 on CPU 0, 7 on CPU 3", BufferKB: 2816}}},
		{"recorded", Losses{CPUs: lost, BufferKB: 1408, Recorded: true}, []tracefs.Warning{{Text: "12 events were lost in all while this was recorded: 5 on CPU 0, 7 on CPU 3"}}},
		{"no buffer would have kept them", Losses{CPUs: []tracefs.CPUStats{{Skipped: 2}}, BufferKB: 4},
			[]tracefs.Warning{{Text: "2 events were lost in all: 2 on CPU 0; the kernel has passed over them"}}},
		{"missed", Losses{Kept: Kept{Missed: []Missed{{"f", true, 3, false}, {"g", false, 4, true}}, Unsure: 6, UnsureFuncs: []string{"f", "h"}}}, []tracefs.Warning{
			{Text: "3 returns of f were missed: the kernel could not run the probe"},
			{Text: "up to 4 calls of g were missed: the kernel could not run the probe"},
			{Text: "up to 6 calls of f, h were missed, or had values that could not be read: before 5.14 the kernel does not distinguish these"},
		}},
		{"reported at once", Losses{Kept: Kept{Interfered: []tracefs.Interference{{Text: "i"}}}, SwitchedOff: []tracefs.SwitchOff{{Name: "f"}}}, nil},
		{"by a recorder", Losses{Kept: Kept{Interfered: []tracefs.Interference{{Text: "i"}}}, SwitchedOff: []tracefs.SwitchOff{{Name: "f", Time: 1_000_042_999, Rate: 3}}, Recorded: true, Start: 999}, []tracefs.Warning{
			{Text: "f had 3 events a second: its probe was switched off at 1.000042, and later calls were not recorded"},
			{Text: "reported while this was recorded: i"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []tracefs.Warning
			tt.losses.Report(func(w tracefs.Warning) { got = append(got, w) })
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestInterfere: interference is passed on, and some of it kept, and nothing else.
func TestInterfere(t *testing.T) {
	var k Kept
	passed, kept := 0, 0
	w := k.Interfere(func(tracefs.Warning) { passed++ }, func() { kept++ })
	w.Warnf("something else")
	for range mostInterfered + 5 {
		w(tracefs.Warning{Interference: &tracefs.Interference{Text: "i"}})
	}
	if passed != 1+mostInterfered+5 || len(k.Interfered) != mostInterfered || kept != mostInterfered || k.Interfered[0].Text != "i" {
		t.Errorf("passed on %d, kept %d", passed, len(k.Interfered))
	}
	k.Interfere(nil, nil)(tracefs.Warning{}) // nobody is warned
}

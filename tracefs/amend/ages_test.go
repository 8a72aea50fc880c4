package amend

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
)

// TestAges has a machine that sleeps for a second when its clock that stops then says 500,
// and for another one at 900. Times in ns.
func TestAges(t *testing.T) {
	const second = 1e9
	slept := Leads{{0, 0}, {500, second}, {900, 2 * second}}
	for _, tt := range []struct {
		clock        string
		coarse, boot bool
		time, then   uint64
		want         int64
	}{
		{"mono", false, false, 800, 300, 500},
		{"mono", false, true, 400, 300, 100},
		{"mono", false, true, 800, 300, second + 500}, // it slept meanwhile
		{"mono", false, true, 800, second + 600, 200}, // the stamp is of after the first sleep
		{"mono", false, true, 900, second + 600, second + 300},
		{"boot", false, true, 3 * second, 300, 3*second - 300},
		{"boot", false, false, 400, 300, 100},
		{"mono", false, false, 800, 801, -1},
		{"mono", true, false, 1000, 1499, 0}, // text has rounded the event's time
		{"mono", true, false, 1000, 2001, -1001},
		{"mono", false, false, 800, 0, value.NoAge}, // not set
		{"local", false, false, 800, 300, value.NoAge},
		{"", false, true, 800, 300, value.NoAge},
		{"mono", false, false, 800, math.MaxUint64, 801},
	} {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			a := ages{clock: tt.clock, coarse: tt.coarse, leads: slept, stamps: map[int][]stamp{7: {{8, tt.boot}, {14, false}}}}
			e := &tracefs.Event{Time: tt.time, Format: &tracefs.Format{ID: 7}, Data: make([]byte, 17)}
			order.PutUint64(e.Data[8:], tt.then)
			a.put(e, order)
			if got := int64(order.Uint64(e.Data[8:])); got != tt.want || e.Data[16] != 0 {
				t.Errorf("%+v, %v: %d", tt, order, got)
			}
			e.Format = &tracefs.Format{ID: 8}
			before := string(e.Data)
			if a.put(e, order); string(e.Data) != before {
				t.Errorf("%+v: another event was changed", tt)
			}
		}
	}
}

// TestLeads measures how far one clock is ahead of the other, which no two readings tell
// exactly.
func TestLeads(t *testing.T) {
	type measure struct {
		since     uint64
		low, high int64
	}
	for _, tt := range []struct {
		name     string
		measures []measure
		want     Leads
	}{
		{"never slept", []measure{{0, -50, 60}, {100, -20, 900}, {200, 0, 0}}, Leads{{0, 0}}},
		{"slept before", []measure{{0, 5000, 5100}, {100, 5040, 5400}, {200, 4000, 9000}}, Leads{{0, 5050}}},
		{"known better later", []measure{{0, 5000, 5100}, {100, 5080, 6000}}, Leads{{0, 5090}}},
		{"sleeps meanwhile", []measure{{0, -50, 60}, {100, -40, 50}, {200, 7000, 7010}, {300, 7005, 7100}, {400, 9000, 9002}}, Leads{{0, 0}, {200, 7005}, {400, 9001}}},
	} {
		var got Leads
		var low, high int64
		for _, m := range tt.measures {
			got, low, high = got.measured(m.since, low, high, m.low, m.high)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if n := (Leads{{500, 7}}).at(400); n != 0 {
		t.Errorf("before all that is known the lead is %d", n)
	}
}

// TestLook reads the clocks of this host.
func TestLook(t *testing.T) {
	a := ages{clock: "mono", live: true}
	a.look()
	low, high := a.measure()
	if len(a.leads) != 1 || a.leads[0].Ns < low-1e6 || a.leads[0].Ns > high+1e6 {
		t.Errorf("leads are %+v, between %d and %d now", a.leads, low, high)
	}
}

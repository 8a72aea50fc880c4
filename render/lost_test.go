package render_test

import (
	"testing"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/render/text"
	"github.com/tsnoop/tsnoop/tracefs"
)

func TestLostTotal(t *testing.T) {
	stats := []tracefs.CPUStats{{CPU: 0, Overrun: 5, Dropped: 2, CommitOverrun: 1}, {CPU: 1, Read: 9}, {CPU: 12, Skipped: 61}}
	const want = `{"lost_total":69,"cpus":[{"cpu":0,"overrun":5,"dropped":3,"skipped":0},{"cpu":12,"overrun":0,"dropped":0,"skipped":61}]}` + "\n"
	if got := json.New(nil, render.Options{}).LostTotal(nil, stats); string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := text.New(nil, render.Options{}).LostTotal(nil, stats); len(got) > 0 {
		t.Errorf("in text it is %q", got)
	}
}

func TestInterfered(t *testing.T) {
	for _, tt := range []struct {
		tracefs.Interference
		want string
	}{
		{tracefs.Interference{Text: "another program has\n\x1b[2J", File: "/t/filter", Func: "vfs_read", Before: "none", After: `comm == "x"`},
			`{"interference":"another program has\n\u001b[2J","file":"/t/filter","func":"vfs_read","was":"none","is":"comm == \"x\""}`},
		{tracefs.Interference{Text: "gone", Cost: tracefs.Cost{Reported: true}, Restored: true}, `{"interference":"gone","missing_events":null,"rearmed":true}`},
		{tracefs.Interference{Text: "over", Cost: tracefs.Cost{Reported: true, Exact: true}}, `{"interference":"over","missing_events":0}`},
		{tracefs.Interference{Text: "up to", Cost: tracefs.Cost{Reported: true, AtMost: true, Events: 4}}, `{"interference":"up to","missing_events":null,"missing_at_most":4}`},
	} {
		if got := string(json.New(nil, render.Options{}).Interfered(nil, &tt.Interference)); got != tt.want+"\n" {
			t.Errorf("got  %swant %s", got, tt.want)
		}
		if got := text.New(nil, render.Options{}).Interfered(nil, &tt.Interference); len(got) > 0 {
			t.Errorf("in text it is %q", got)
		}
	}
}

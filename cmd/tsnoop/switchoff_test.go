package main

import (
	"strings"
	"testing"
)

// TestReplaySwitchedOff replays a recording of functions of which one was switched off because
// it was called too often.
func TestReplaySwitchedOff(t *testing.T) {
	const off, on = "ip_rcv(skb->len)", "vfs_read(count)"
	const spans, alone = `{"0":[{"From":0,"Until":2000001,"Rate":16102,"Limit":10000}]}`, "--summary=only"
	const said = "ip_rcv had 16102 events a second: its probe was switched off at 0.002000, and later calls were not recorded"
	for _, tt := range []struct{ name, spans, spec, way, said, data string }{
		{"whole", "", "", "--json", "", ""},
		{"JSON", spans, "", "--json", said, `{"switched_off":"ip_rcv","spec":"ip_rcv(skb->len)","ts_ns":2000001,"rate":16102,"max_rate":10000}`},
		{"a table", spans, "", alone, said, "ip_rcv was switched off after 2.00ms (--max-rate): its later calls are not counted."},
		{"lines", spans, "", "-t=rel", said, ""},
		{"by an earlier release", `{"0":[{"From":0,"Until":1}]}`, off, "--json",
			"ip_rcv had too many events: its probe was switched off at 0.000000, and later calls were not recorded",
			`{"switched_off":"ip_rcv","spec":"ip_rcv(skb->len)","ts_ns":1}`},
		{"it could not be switched off", `{"0":[{"From":0,"Until":2000001},{"From":2000002}]}`, "", "--json", "", ""},
		{"not asked for", spans, on, "--json", "", ""},
		{"not asked for in a table", spans, on, alone, "", ""},
	} {
		c := sample(t, off, on)
		if tt.spans != "" {
			c.own = append(c.own[:len(c.own)-1], `,"Spans":`+tt.spans+"}"...)
		}
		printed, said, err := c.replay(t, strings.Split(tt.spec, "\n")[:min(1, len(tt.spec))], tt.way)
		if got := about(printed); err != nil || got != tt.data {
			t.Errorf("%s: %v, printed %q, want %q", tt.name, err, got, tt.data)
		}
		if got := strings.TrimPrefix(about(said), "tsnoop: "); got != tt.said {
			t.Errorf("%s: said %q, want %q", tt.name, got, tt.said)
		}
	}
}

// TestReplayKept: what a recorder has reported besides lost events is also reported by a replay,
// of the functions that are shown.
func TestReplayKept(t *testing.T) {
	const kept = `,"Missed":[{"Func":"ip_rcv","Return":true,"Calls":3,"AtMost":false},{"Func":"vfs_read","Return":false,"Calls":4,"AtMost":true}],` +
		`"Unfinished":[{"Func":"vfs_read","Calls":5,"Earlier":false}],"Unsure":6,"UnsureFuncs":["f","vfs_read"],` +
		`"Interfered":[{"Text":"another program has \u001b switched this trace off","File":"/t/tracing_on","Func":"","Before":"1","After":"0","Restored":false,"Cost":{"Reported":true,"Exact":true,"AtMost":false,"Events":7}}]}`
	const interfered = "tsnoop: reported while this was recorded: another program has \\x1b switched this trace off\n"
	const of = "tsnoop: up to 6 calls of vfs_read were missed, or had values that could not be read: before 5.14 the kernel does not distinguish these\n"
	const line = `{"interference":"another program has \u001b switched this trace off","file":"/t/tracing_on","was":"1","is":"0","missing_events":7}` + "\n"
	for spec, want := range map[string][2]string{
		"ip_rcv(skb->len)": {interfered + "tsnoop: 3 returns of ip_rcv were missed: the kernel could not run the probe\n",
			line + `{"func":"ip_rcv","missed_returns":3}` + "\n"},
		"vfs_read(count)": {interfered + "tsnoop: up to 4 calls of vfs_read were missed: the kernel could not run the probe\ntsnoop: 5 calls of vfs_read began and did not end\n" + of,
			line + `{"func":"vfs_read","missed_calls":4,"at_most":true}` + "\n" + `{"func":"vfs_read","unfinished_calls":5}` + "\n"},
	} {
		c := sample(t, "ip_rcv(skb->len)", "vfs_read(count)")
		c.own = append(c.own[:len(c.own)-1], kept...)
		printed, said, err := c.replay(t, []string{spec}, "--json")
		if err != nil || !strings.HasSuffix(said, want[0]) {
			t.Errorf("%s: %v, said\n%swant\n%s", spec, err, said, want[0])
		}
		_, printed, _ = strings.Cut(printed, `{"lost_total":`)
		_, printed, _ = strings.Cut(printed, "\n")
		if printed, _, _ = strings.Cut(printed, `{"origin":`); printed != want[1] {
			t.Errorf("%s: printed\n%swant\n%s", spec, printed, want[1])
		}
	}
}

// about returns the lines about what was switched off.
func about(text string) (lines string) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, "switched") {
			lines += line
		}
	}
	return strings.TrimSuffix(lines, "\n")
}

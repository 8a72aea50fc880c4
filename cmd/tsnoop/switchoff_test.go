package main

import (
	"encoding/json"
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
			var own map[string]any
			if err := json.Unmarshal(c.own, &own); err != nil {
				t.Fatal(err)
			}
			own["Spans"] = json.RawMessage(tt.spans)
			var err error
			if c.own, err = json.Marshal(own); err != nil {
				t.Fatal(err)
			}
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

// about returns the lines about what was switched off.
func about(text string) (lines string) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, "switched") {
			lines += line
		}
	}
	return strings.TrimSuffix(lines, "\n")
}

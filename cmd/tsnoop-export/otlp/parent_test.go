package otlp

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID0 = "00f067aa0ba902b7"
	header  = "00-" + traceID + "-" + spanID0 + "-01"
)

// A span links to the span that its value names, in each form that the value can have.
func TestParent(t *testing.T) {
	for _, tt := range []struct{ value, want string }{
		{`"` + header + `"`, traceID + " " + spanID0 + " 301"},
		{`" ` + header + `\r\nHost: x"`, traceID + " " + spanID0 + " 301"},
		{`"` + strings.ToUpper(header) + `"`, traceID + " " + spanID0 + " 301"},
		{`"cc` + header[2:] + `-more"`, traceID + " " + spanID0 + " 301"},
		{`"ff` + header[2:] + `"`, ""},
		{`"` + header + `0"`, ""},
		{`"00-` + strings.Repeat("0", 32) + "-" + spanID0 + `-01"`, ""},
		{`"00-` + traceID + `-0000000000000000-01"`, ""},
		{`"` + header[:54] + `"`, ""},
		{`"` + strings.Replace(header, "4bf9", "4bg9", 1) + `"`, ""},
		{`"` + traceID + `"`, traceID + " 0000000000000000 300"},
		{`"` + traceID + spanID0 + `"`, traceID + " " + spanID0 + " 300"},
		{`"4b:f9:2f:35:77:b3:4d:a6:a3:ce:92:9d:0e:0e:47:36"`, traceID + " 0000000000000000 300"},
		{`"0x` + traceID + `"`, traceID + " 0000000000000000 300"},
		{`"\ufffd","bytes":"` + traceID + `"`, traceID + " 0000000000000000 300"},
		{`"\ufffd","bytes":"` + traceID + spanID0 + `"`, traceID + " " + spanID0 + " 300"},
		{`[75,-7,47,53,119,179,77,166,163,206,146,157,14,14,71,54]`, traceID + " 0000000000000000 300"},
		{`[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]`, ""},
		{`[75,249]`, ""},
		{`[75,1000,47,53,119,179,77,166,163,206,146,157,14,14,71,54]`, ""},
		{`{"a":1}`, ""},
		{`5`, ""},
		{`true`, ""},
	} {
		line := `{"ts_ns":5,"cpu":0,"tid":7,"comm":"a","func":"f","args":[{"name":"other","value":1},{"name":"h->id","value":` + tt.value + `}],"duration_ns":3,"end_ns":8}` + "\n"
		r, warned := exported(t, line, Options{Nest: time.Second, Parent: "h->id"})
		got := ""
		for _, l := range r.spans[0].Links {
			got += fmt.Sprintf("%x %x %x", l.TraceId, l.SpanId, l.Flags)
			if attr(l.Attributes, "tsnoop.item") != "h->id" {
				t.Errorf("%s: %v", tt.value, l.Attributes)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.value, got, tt.want)
		}
		if (tt.want == "") != strings.Contains(warned, "1 values of h->id are neither") {
			t.Errorf("%s: %q", tt.value, warned)
		}
	}
}

// A log record is part of the application's trace. Its own calls have ids of theirs.
func TestParentOfRecord(t *testing.T) {
	lines := `{"ts_ns":6,"cpu":0,"tid":7,"comm":"a","func":"e","args":[{"name":"p","value":"` + header + `"}]}
{"ts_ns":5,"cpu":0,"tid":7,"comm":"a","func":"f","ret_args":[{"name":"p","value":"` + header + `"}],"duration_ns":3,"end_ns":8}
`
	r, warned := exported(t, lines, Options{Nest: time.Second, Parent: "p"})
	if l := r.records[0]; fmt.Sprintf("%x %x", l.TraceId, l.SpanId) != traceID+" "+spanID0 {
		t.Errorf("%v", l)
	}
	if s := r.spans[0]; len(s.Links) != 1 || fmt.Sprintf("%x", s.TraceId) == traceID || strings.Contains(warned, "value") {
		t.Errorf("%v %s", s, warned)
	}
	_, warned = exported(t, lines, Options{Parent: "q"})
	if !strings.Contains(warned, "no call has a value q: give --parent a name as the spec has it\n") {
		t.Error(warned)
	}
}

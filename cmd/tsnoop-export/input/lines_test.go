package input_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/input"
	"github.com/tsnoop/tsnoop/tracefs"
)

const first = `{"origin":{"host":"h","began":{"wall_ns":1000,"ts_ns":1}},"v":1}` + "\n"

// lines returns what lines are for an output.
func lines(text io.Reader) (*dump, error) {
	var d dump
	err := input.Lines(context.Background(), text, "x", &d)
	return &d, err
}

// Lines that tsnoop does not write are refused with their number, and what precedes them is
// exported.
func TestWrongLines(t *testing.T) {
	good := `{"ts_ns":5,"cpu":0,"pid":null,"tid":1,"comm":"c","func":"f"}` + "\n"
	for _, tt := range []struct{ line, want string }{
		{`{"ts_ns":5,`, "the line is cut"},
		{`[1]`, "a line is a JSON object, and this is a array"},
		{`{"ts_ns":"5","func":"f"}`, `"ts_ns" cannot be a string`},
		{`{"ts_ns":-1,"func":"f"}`, `"ts_ns" cannot be a number -1`},
		{`{"ts_ns":5,"func":["f"]}`, `"func" cannot be a array`},
		{`{"ts_ns":5,"func":"f","args":[{"name":"x"}]}`, `"x" has no value`},
		{`{"ts_ns":5,"func":"f","args":[{"name":"x","value":1e3}]}`, `"1e3" of "x" is not a number of 64 bits`},
		{`{"ts_ns":5,"func":"f","args":[{"name":"x","value":18446744073709551616}]}`, "is not a number of 64 bits"},
		{`{"ts_ns":5,"func":"f","args":[{"name":"x","value":"a","bytes":"0"}]}`, `"bytes" of "x"`},
		{`{"ts_ns":5,"func":"f","comm_bytes":"zz"}`, `"comm_bytes"`},
		{`{"ts_ns":5,"func":"f","time":"yesterday"}`, `"time" is not a time: "yesterday"`},
		{`{"ts_ns":5,"lost":"all"}`, `"lost": "\"all\"" is not a number of events`},
		{`{"interference":"i","missing_events":{}}`, `"missing_events"`},
		{`{"origin":{},"v":2}`, "the lines have the form 2, and this tsnoop-export knows 1"},
		{`{"origin":5}`, `"origin" cannot be a number`},
		{"\x00", "byte 1: not JSON as tsnoop --json writes it"},
		{strings.Repeat("[", 20000), "not JSON"},
		{`{"ts_ns":5,"func":"` + strings.Repeat("x", 17<<20), "more than 16 MiB on a line"},
	} {
		d, err := lines(strings.NewReader(first + good + tt.line + "\n" + good))
		var damaged *input.Damaged
		if !errors.As(err, &damaged) || !strings.HasPrefix(err.Error(), "x, line 3: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.60s: %v, want line 3: %s", tt.line, err, tt.want)
		}
		if d.calls != 1 || !strings.Contains(d.String(), "\nend h") {
			t.Errorf("%.60s: %d calls\n%s", tt.line, d.calls, d)
		}
	}
}

// Traces follow one another, also if one has no end, and lines need not begin with an origin.
func TestTraces(t *testing.T) {
	end := strings.Replace(first, `}},"v"`, `},"ended":{"wall_ns":2000,"ts_ns":1001}},"v"`, 1)
	other := strings.Replace(first, `"h"`, `"other"`, 1)
	one := `{"ts_ns":5,"cpu":0,"pid":4,"tid":1,"comm":"c","func":"f"}` + "\n"
	for _, tt := range []struct {
		text   string
		traces int
		wall   string
	}{
		{first + one + end, 1, "5 1004 cpu"},
		{first + one + end + first + one + end, 2, "5 1004 cpu"},
		{first + one + other + one, 2, "5 1004 cpu"},
		{one, 1, "5 0 cpu"},
		{one + first + one, 2, "5 1004 cpu"},
		{"", 0, ""},
		{"\n\n", 0, ""},
	} {
		d, err := lines(strings.NewReader(tt.text))
		text := d.String()
		if err != nil || d.traces != tt.traces || strings.Count(text, "end ") < d.traces || !strings.Contains(text, tt.wall) {
			t.Errorf("%s%v\n%s", tt.text, err, d)
		}
	}
}

// The lines of several recordings belong to the trace of their host.
func TestHosts(t *testing.T) {
	origin := `{"origin":{"host":"%s"},"host":"%[1]s","file":"%[1]s.dat","offset_ns":7,"v":1}` + "\n"
	one := `{"ts_ns":5,"host":"%s","wall_ns":%d,"cpu":0,"pid":4,"tid":1,"comm":"c","func":"f"}` + "\n"
	both := fmt.Sprintf(origin, "a") + fmt.Sprintf(origin, "b") + fmt.Sprintf(one, "b", 12) + fmt.Sprintf(one, "a", 13)
	d, err := lines(strings.NewReader(both + both))
	text := d.String()
	if err != nil || d.traces != 4 || d.calls != 4 || strings.Count(text, "begin a") != 2 || strings.Count(text, "end b") != 2 || strings.Count(text, "5 12 cpu") != 2 {
		t.Errorf("%v\n%s", err, text)
	}
	d, err = lines(strings.NewReader(fmt.Sprintf(origin, "a") + fmt.Sprintf(one, "z", 3)))
	if err == nil || !strings.Contains(err.Error(), `x, line 2: no line has the origin of the host "z"`) || !strings.Contains(d.String(), "end a") {
		t.Errorf("%v\n%s", err, d)
	}
}

// A call in two parts is one, also if the second is missing, and what is kept has bounds.
func TestParts(t *testing.T) {
	begin := `{"ts_ns":5,"cpu":0,"pid":4,"tid":1,"comm":"c","func":"f","call":%d,"depth":0,"part":"begin","args":[{"name":"x","type":"u64","value":%d}]}` + "\n"
	end := `{"ts_ns":5,"cpu":0,"pid":4,"tid":1,"comm":"c","func":"f","call":%d,"depth":0,"part":"end","ret":{"type":"int","value":-2,"errno":"ENOENT"},"end_ns":6,"duration_ns":1}` + "\n"
	d, err := lines(strings.NewReader(fmt.Sprintf(begin+begin+end, 1, 10, 2, 20, 1)))
	if err != nil || d.calls != 2 || !strings.Contains(d.String(), `x "u64" = int 10 "" ""  | return "int" = int -2 "" "" ENOENT`) || !strings.Contains(d.String(), "int 20") {
		t.Errorf("%v\n%s", err, d)
	}
	const many = 200_000 // of more than 32 MiB
	var text strings.Builder
	for i := range many {
		fmt.Fprintf(&text, begin, i, i)
	}
	fmt.Fprintf(&text, end, many-1)
	d, err = lines(strings.NewReader(text.String()))
	if err != nil || d.calls != many || strings.Count(d.String(), "ENOENT") != 1 {
		t.Errorf("%v, %d calls", err, d.calls)
	}
}

// An export that the user interrupts ends at the next call.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var d dump
	if err := input.Lines(ctx, strings.NewReader(first), "x", &d); err != context.Canceled || d.traces != 0 {
		t.Errorf("%v, %d traces", err, d.traces)
	}
	f, err := os.Open(recordings(t)[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, _ := f.Stat()
	if err := input.Recording(ctx, f, info.Size(), "x", &d, func(tracefs.Warning) {}); err != context.Canceled || d.calls != 0 {
		t.Errorf("%v, %d calls", err, d.calls)
	}
}

// A recording with any byte changed, or cut anywhere, is exported as far as it can be read, or
// refused.
func TestCraftedRecordings(t *testing.T) {
	for _, name := range recordings(t)[:3] {
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(whole); i += 7 + len(whole)/400 {
			b := append([]byte(nil), whole...)
			b[i] ^= 0x55
			crafted(b)
			crafted(whole[:i])
		}
	}
}

func crafted(b []byte) {
	var d dump
	input.Recording(context.Background(), strings.NewReader(string(b)), int64(len(b)), "x", &d, func(tracefs.Warning) {})
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(first + `{"ts_ns":5,"cpu":0,"pid":4,"tid":1,"comm":"c","func":"f","call":1,"part":"end","args":[{"name":"x","value":{"a":[1]}}],"errors":[{"name":"x","fault":"p=NULL"}]}`))
	f.Add([]byte(`{"lost":null}` + "\n" + `{"func":"f","missed_calls":3,"at_most":true}` + "\n" + `{"interference":"i","missing_events":null,"missing_at_most":4}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := lines(strings.NewReader(string(text)))
		var damaged *input.Damaged
		if err != nil && !errors.As(err, &damaged) {
			t.Errorf("%v", err)
		}
		if strings.Count(d.String(), "\n") < d.calls {
			t.Error(d.String())
		}
	})
}

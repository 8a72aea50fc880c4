package render_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/render"
	rjson "github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/tracefs"
)

// TestOrigin: what a recording says of its origin cannot act on a terminal or end a line,
// what is not known is left out, and JSON has all of it.
func TestOrigin(t *testing.T) {
	ns := int64(2_000_000)
	o := &tracefs.Origin{
		Host: "h\x1b[2J\nkernel x", MachineID: "m", BootID: "b", Kernel: "6.12", Arch: "x86_64", Recorder: "tsnoop v1", Specs: []string{"f(\"a\")", "\u202eg()"},
		Clock: "mono", Began: &tracefs.Moment{Wall: 1e9, Trace: 5, MaxError: &ns, Synced: true}, Ended: &tracefs.Moment{Wall: 2e9 + 1, Trace: 1e9 + 5},
	}
	const want = `host        h\x1b[2J\nkernel x
machine id  m
boot id     b
kernel      6.12 x86_64
recorder    tsnoop v1
clock       mono
began       1970-01-01T00:00:01.000000000Z, off by at most 2ms, 0.000000005 on the trace clock
ended       1970-01-01T00:00:02.000000001Z, 1.000000005 on the trace clock
spec        f("a")
spec        \u202eg()
`
	if got := render.OriginText(o); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := render.OriginText(nil) + render.OriginText(&tracefs.Origin{}); got != "" {
		t.Errorf("%q of nothing", got)
	}
	p := rjson.New(nil, render.Options{})
	line := p.Origin([]byte("before\n"), o)
	var got struct{ Origin tracefs.Origin }
	text := strings.TrimPrefix(string(line), "before\n")
	if err := json.Unmarshal([]byte(text), &got); err != nil || strings.Count(text, "\n") != 1 || strings.ContainsAny(text, "\x1b\u202e") || !strings.HasSuffix(text, "},\"v\":1}\n") {
		t.Fatalf("%v: %s", err, text)
	}
	if g := got.Origin; g.Host != o.Host || g.Specs[1] != o.Specs[1] || g.MachineID != "m" || g.Began.Wall != 1e9 || *g.Began.MaxError != ns || !g.Began.Synced || g.Ended.MaxError != nil {
		t.Errorf("%s", text)
	}
	if line := p.Origin(nil, &tracefs.Origin{}); len(line) != 0 {
		t.Errorf("%s of nothing", line)
	}
}

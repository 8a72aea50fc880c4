package render_test

import (
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/render/text"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// TestAtReturn shows what faulted at entry as it was at return, if it was there
// then, and says so.
func TestAtReturn(t *testing.T) {
	sides := func(entryAddr, returnAddr uint64) (entry, ret *record) {
		entry, ret = newProbe(false), newProbe(true)
		entry.number("n", cInt, 99, value.PointerCheck{Label: "p", Arg: entry.arg(8, entryAddr)})
		ret.number("n at return", cInt, 5, value.PointerCheck{Label: "p", Arg: ret.arg(8, returnAddr)})
		entry.probe.Fields[0].Refetched, ret.probe.Fields[0].Refetched, ret.probe.Fields[0].Hidden = 1, -1, true
		return entry, ret
	}
	const good = 0xffff888000001000
	for _, tt := range []struct {
		name       string
		entry, ret uint64
		returned   bool
		text, json string
	}{
		{"there at entry", good, good, true, `f(n=99) <`, `"value":99}]`},
		{"there at return", 0, good, true, `f(n=5 (at return)) <`, `"value":5,"at":"return"}]`},
		{"never there", 0, 0, true, `f(n=(fault: p=NULL)) <`, `"fault":"p=NULL"`},
		{"no return yet", 0, good, false, `f(n=(fault: p=NULL))`, `"fault":"p=NULL"`},
	} {
		entry, ret := sides(tt.entry, tt.ret)
		c := &calls.Call{Entry: entry.event(1, 0, 1), Duration: 1}
		if tt.returned {
			c.Return = ret.event(2, 0, 1)
		}
		source := newSource("f", "", entry, ret)
		line := string(text.New([]render.Source{source}, render.Options{Time: render.TimeNone}).End(nil, c))
		object := string(json.New([]render.Source{source}, render.Options{}).End(nil, c))
		if !strings.Contains(line, tt.text) || !strings.Contains(object, tt.json) {
			t.Errorf("%s: got\n%s%swant %s and %s", tt.name, line, object, tt.text, tt.json)
		}
	}
	// A side that a recording does not have.
	entry, ret := sides(0, good)
	source := newSource("f", "", entry, nil)
	c := &calls.Call{Entry: entry.event(1, 0, 1), Return: ret.event(2, 0, 1)}
	if line := string(text.New([]render.Source{source}, render.Options{}).End(nil, c)); !strings.Contains(line, "(fault: p=NULL)") {
		t.Errorf("got %s", line)
	}
}

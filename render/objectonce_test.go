package render_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/render/text"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// TestObjectOnce: the memory of an object is decoded once a call, for its line and its
// tree, and once more where it could only be read at return.
func TestObjectOnce(t *testing.T) {
	const page = heap &^ 0xfff
	for _, tt := range []struct {
		name       string
		addr       uint64 // at entry
		times      int    // an address is asked about for each decoding, and its page if it is there
		text, json string
	}{
		{"at entry", heap, 2, "f(*p={...}) <", `"value":{"x":7},"addr":"0xffff888000001000"}]`},
		{"at return", heap + 0x5000, 3, "f(*p={...} (at return)) <", `"value":{"x":8},"addr":"0xffff888000001000","at":"return"}]`},
	} {
		asked := 0
		mapped := func(addr uint64) bool {
			asked++
			return addr&^0xfff == page
		}
		entry := newProbe(false).object("*p", "p", tt.addr, "\x07\x00\x00\x00\x00\x00\x00\x00")
		ret := newProbe(true).object("*p", "p", heap, "\x08\x00\x00\x00\x00\x00\x00\x00")
		entry.probe.Fields[0].Refetched, ret.probe.Fields[0].Refetched, ret.probe.Fields[0].Hidden = 1, -1, true
		source := newSource("f", "", entry, ret)
		for i, r := range []*record{entry, ret} {
			source.Decoders[i] = r.probe.Decoder(r.slots, binary.LittleEndian, mapped)
		}
		c := &calls.Call{Entry: entry.event(1, 0, 1), Return: ret.event(2, 0, 1), Duration: 1}
		check := func(s render.Sink, want string) {
			asked = 0
			got := string(s.End(nil, c))
			if !strings.Contains(got, want) {
				t.Errorf("%s: got\n%swant %s", tt.name, got, want)
			}
			if asked != tt.times {
				t.Errorf("%s: asked %d times whether memory is there, want %d:\n%s", tt.name, asked, tt.times, got)
			}
		}
		check(text.New([]render.Source{source}, render.Options{Time: render.TimeNone}), tt.text)
		check(json.New([]render.Source{source}, render.Options{}), tt.json)
	}
}

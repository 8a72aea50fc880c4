package render_test

import (
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
)

// member makes a member as C would have it.
func member(name string, t btf.Type, offset int) render.Member {
	f := field(name, t, "")
	return render.Member{Name: name, Type: render.NewType(&f, false, nil), Count: f.Count, Offset: offset}
}

// bitField is a member of an unsigned int.
func bitField(name string, t btf.Type, offset, shift, width int) render.Member {
	f := value.Field{Label: name, Type: t, Encoding: value.BitField, Size: 4, Bits: width}
	return render.Member{Name: name, Type: render.NewType(&f, false, nil), Offset: offset, Shift: shift}
}

// TestStruct shows structs, and structs in structs, arrays of them and damaged ones.
func TestStruct(t *testing.T) {
	point := render.Type{Form: render.Unknown, Size: 8, Members: []render.Member{member("x", cInt, 0), member("y", cInt, 4)}}
	all := render.Type{Form: render.Unknown, Size: 64, Members: []render.Member{
		member("len", cUint, 0), member("state", tcpStates, 4), bitField("low", cUint, 8, 0, 3), bitField("high", cUint, 8, 29, 3),
		member("comm", array(cChar, 8), 12), member("key", array(u8, 3), 20), member("saddr", in6Addr, 24),
		{Name: "at", Type: point, Offset: 40}, {Name: "line", Type: point, Count: 2, Offset: 48},
	}}
	bytes := "\x05\x00\x00\x00\x01\x00\x00\x00\x06\x00\x00\xa0bash\x00xyz\x01\x02\xff\x00" +
		string(make([]byte, 15)) + "\x01" + "\x01\x00\x00\x00\xfe\xff\xff\xff" + "\x03\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00\x06\x00\x00\x00"
	for _, tt := range []struct {
		name       string
		typ        render.Type
		bytes      string
		text, json string
	}{
		{"numbers", point, bytes[40:48], `{x=1, y=-2}`, `"value":{"x":1,"y":-2}`},
		{"all kinds", all, bytes,
			`{len=5, state=TCP_ESTABLISHED, low=6, high=5, comm="bash", key={0x1, 0x2, 0xff}, saddr=::1, at={x=1, y=-2}, line={{x=3, y=4}, {x=5, y=6}}}`,
			`"value":{"len":5,"state":1,"low":6,"high":5,"comm":"bash","key":[1,2,255],"saddr":"::1","at":{"x":1,"y":-2},"line":[{"x":3,"y":4},{"x":5,"y":6}]},` +
				`"text":"{len=5, state=TCP_ESTABLISHED, low=6, high=5, comm=\"bash\", key={0x1, 0x2, 0xff}, saddr=::1, at={x=1, y=-2}, line={{x=3, y=4}, {x=5, y=6}}}"`},
		{"an array of them", point, bytes[48:64], `{{x=3, y=4}, {x=5, y=6}}`, `"value":[{"x":3,"y":4},{"x":5,"y":6}]`},
		{"the first of it", point, bytes[40:44], `{x=1}`, `"value":{"x":1}`},
		{"nothing of it", point, "", `{}`, `"value":{}`},
		{"no string of UTF-8", render.Type{Form: render.Unknown, Size: 2, Members: []render.Member{member("s", array(cChar, 2), 0)}}, "\xff\"",
			`{s="\xff\""}`, `"value":{"s":"\ufffd\""},"text":"{s=\"\\xff\\\"\"}"`},
		{"damaged", render.Type{Form: render.Unknown, Size: 4, Members: []render.Member{
			member("before", cInt, -4), member("behind", cInt, 1<<62), member("x", cInt, 0)}}, bytes[:4], `{x=5}`, `"value":{"x":5}`},
	} {
		opts := render.Options{}
		f := render.NewField(&value.Field{Label: "p", Encoding: value.Array, Size: 1, Count: len(tt.bytes)}, false, &opts)
		f.Type = tt.typ
		if got := string(f.AppendValue(nil, raw(tt.bytes))); got != tt.text {
			t.Errorf("%s: text\n got %s\nwant %s", tt.name, got, tt.text)
		}
		if got := string(json.New(nil, opts).AppendValue(nil, f, raw(tt.bytes))); got != tt.json {
			t.Errorf("%s: JSON\n got %s\nwant %s", tt.name, got, tt.json)
		}
	}
}

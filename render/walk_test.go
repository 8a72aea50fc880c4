package render_test

import (
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
)

// member makes a member as C would have it.
func member(name string, t btf.Type, offset int) value.Member {
	f := field(name, t, "")
	typ := value.NewType(&f, false, nil)
	if f.Count > 0 {
		typ.Dims = []int{f.Count}
	}
	return value.Member{Name: name, Type: typ, Offset: offset}
}

// bitField is a member of an unsigned int.
func bitField(name string, t btf.Type, offset, shift, width int) value.Member {
	f := value.Field{Label: name, Type: t, Encoding: value.BitField, Size: 4, Bits: width}
	return value.Member{Name: name, Type: value.NewType(&f, false, nil), Offset: offset, Shift: shift}
}

// TestStruct shows structs, and structs in structs, arrays of them and damaged ones.
func TestStruct(t *testing.T) {
	point := value.Type{Form: value.Unknown, Size: 8, Members: []value.Member{member("x", cInt, 0), member("y", cInt, 4)}}
	points := point
	points.Dims = []int{2}
	all := value.Type{Form: value.Unknown, Size: 64, Members: []value.Member{
		member("len", cUint, 0), member("state", tcpStates, 4), bitField("low", cUint, 8, 0, 3), bitField("high", cUint, 8, 29, 3),
		member("comm", array(cChar, 8), 12), member("key", array(u8, 3), 20), member("saddr", in6Addr, 24),
		{Name: "at", Type: point, Offset: 40}, {Name: "line", Type: points, Offset: 48},
	}}
	bytes := "\x05\x00\x00\x00\x01\x00\x00\x00\x06\x00\x00\xa0bash\x00xyz\x01\x02\xff\x00" +
		string(make([]byte, 15)) + "\x01" + "\x01\x00\x00\x00\xfe\xff\xff\xff" + "\x03\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00\x06\x00\x00\x00"
	for _, tt := range []struct {
		name       string
		typ        value.Type
		bytes      string
		text, json string
	}{
		{"numbers", point, bytes[40:48], `{.x = 1, .y = -2}`, `"value":{"x":1,"y":-2}`},
		{"all kinds", all, bytes,
			`{.len = 5, .state = TCP_ESTABLISHED, .low = 6, .high = 5, .comm = "bash", .key = {0x1, 0x2, 0xff}, .saddr = ::1, .at = {.x = 1, .y = -2}, .line = {{.x = 3, .y = 4}, {.x = 5, .y = 6}}}`,
			`"value":{"len":5,"state":1,"low":6,"high":5,"comm":"bash","key":[1,2,255],"saddr":"::1","at":{"x":1,"y":-2},"line":[{"x":3,"y":4},{"x":5,"y":6}]},` +
				`"text":"{.len = 5, .state = TCP_ESTABLISHED, .low = 6, .high = 5, .comm = \"bash\", .key = {0x1, 0x2, 0xff}, .saddr = ::1, .at = {.x = 1, .y = -2}, .line = {{.x = 3, .y = 4}, {.x = 5, .y = 6}}}"`},
		{"an array of them", point, bytes[48:64], `{{.x = 3, .y = 4}, {.x = 5, .y = 6}}`, `"value":[{"x":3,"y":4},{"x":5,"y":6}]`},
		{"the first of it", point, bytes[40:44], `{.x = 1}`, `"value":{"x":1}`},
		{"nothing of it", point, "", `{}`, `"value":{}`},
		{"no string of UTF-8", value.Type{Form: value.Unknown, Size: 2, Members: []value.Member{member("s", array(cChar, 2), 0)}}, "\xff\"",
			`{.s = "\xff\""}`, `"value":{"s":"\ufffd\""},"text":"{.s = \"\\xff\\\"\"}"`},
		{"damaged", value.Type{Form: value.Unknown, Size: 4, Members: []value.Member{
			member("before", cInt, -4), member("after", cInt, 1<<62), member("x", cInt, 0)}}, bytes[:4], `{.x = 5}`, `"value":{"x":5}`},
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

// TestParts shows values whose parts were read one by one, of which some could not be.
func TestParts(t *testing.T) {
	in := value.Type{Form: value.Unknown, Members: []value.Member{member("x", cInt, 0), member("state", tcpStates, 4)}}
	typ := value.Type{Form: value.Unknown, Members: []value.Member{
		member("len", cUint, 0), member("name", charPtr, 8), {Name: "in", Type: in}, member("saddr", in6Addr, 32), member("n", array(cInt, 2), 48),
	}}
	list := func(parts ...value.Value) value.Value {
		return value.Value{Kind: value.List, Parts: (*value.Parts)(&parts)}
	}
	object := func(parts ...value.Value) value.Value {
		return value.Value{Kind: value.Struct, Parts: (*value.Parts)(&parts)}
	}
	for _, tt := range []struct {
		val        value.Value
		text, json string
	}{
		{object(num(5), txt("lo"), list(object(neg(-1), num(7)), object()), raw(string(make([]byte, 15))+"\x01"), raw("\x01\x00\x00\x00\x02\x00\x00\x00")),
			`{.len = 5, .name = "lo", .in = {{.x = -1, .state = (enum tcp_state)7}, {}}, .saddr = ::1, .n = {1, 2}}`,
			`"value":{"len":5,"name":"lo","in":[{"x":-1,"state":7},{}],"saddr":"::1","n":[1,2]},` +
				`"text":"{.len = 5, .name = \"lo\", .in = {{.x = -1, .state = (enum tcp_state)7}, {}}, .saddr = ::1, .n = {1, 2}}"`},
		{object(value.Value{}, fault("p->name", 0), list(fault("in", 1), object(num(1), fault("s", ^uint64(1))))),
			`{.len = ?, .name = (fault: p->name=NULL), .in = {(fault: in=0x1), {.x = 1, .state = (fault: s=-ENOENT)}}}`,
			`"value":{"len":null,"name":null,"in":[null,{"x":1,"state":null}]}`},
		{object(num(1), num(2), num(3), num(4), num(5), num(6), num(7)), ``, ``}, // more than the type has
		{list(), `{}`, `"value":[]`},
	} {
		opts := render.Options{}
		f := render.NewField(&value.Field{Label: "*p"}, false, &opts)
		f.Type = typ
		if got := string(f.AppendValue(nil, tt.val)); got != tt.text && tt.text != "" {
			t.Errorf("%+v: text\n got %s\nwant %s", tt.val, got, tt.text)
		}
		got := string(json.New(nil, opts).AppendValue(nil, f, tt.val))
		if got != tt.json && tt.json != "" || !valid([]byte("{"+got+"}")) {
			t.Errorf("%+v: JSON\n got %s\nwant %s", tt.val, got, tt.json)
		}
	}
}

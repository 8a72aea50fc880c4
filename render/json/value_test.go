package json

import (
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
)

// TestFaults: "errors" names the parts that could not be read.
func TestFaults(t *testing.T) {
	number := value.NewType(&value.Field{Size: 4}, false, nil)
	point := value.Type{Form: value.Unknown, Members: []value.Member{{Name: "x", Type: number}, {Name: "\x1b", Type: number}}}
	line := value.Type{Form: value.Unknown, Members: []value.Member{{Name: "ends", Type: point}, {Name: "n", Type: number}}}
	fault := func(label string, addr uint64) value.Value {
		return value.Value{Kind: value.Fault, Pointer: &value.PointerCheck{Label: label}, Uint: addr}
	}
	p := New(nil, render.Options{})
	f := render.NewField(&value.Field{Label: "*p"}, false, &p.opts)
	f.Type = line
	got := string(p.AppendValue(nil, f, value.Value{Kind: value.Struct, Parts: &value.Parts{
		{Kind: value.List, Parts: &value.Parts{
			fault("p->ends", 0x10),
			{Kind: value.Struct, Parts: &value.Parts{{Kind: value.Uint, Uint: 1}, fault("q", ^uint64(1))}},
		}},
		fault("p", 0),
	}}))
	if want := `"value":{"ends":[null,{"x":1,"\u001b":null}],"n":null},"text":"{.ends = {(fault: p->ends=0x10), {.x = 0x1, .\\x1b = (fault: q=-ENOENT)}}, .n = (fault: p=NULL)}"`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want := `{"name":"*p.ends[0]","fault":"p->ends=0x10"},{"name":"*p.ends[1].\\x1b","fault":"q=-ENOENT"},{"name":"*p.n","fault":"p=NULL"}`
	if got := string(p.value.faults); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

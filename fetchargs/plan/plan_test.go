package plan_test

import (
	"fmt"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TestFromEvent shows the fields of an event that another tool has defined. Those that the
// kernel adds to each are not shown.
func TestFromEvent(t *testing.T) {
	encodings := map[value.Encoding]string{value.Integer: "number", value.String: "text", value.Array: "array", value.Nothing: "nothing"}
	for _, tt := range []struct {
		column plan.Column
		want   string
	}{
		{plan.Column{Type: "int", Size: 4, Signed: true}, "number of 4 bytes, 0 times, int, true"},
		{plan.Column{Type: "const unsigned long", Size: 8}, "number of 8 bytes, 0 times, unsigned long, false"},
		{plan.Column{Type: "char", Size: 1, Signed: true}, "character of 1 bytes, 0 times, char, true"},
		{plan.Column{Type: "u16", Size: 2}, "number of 2 bytes, 0 times, u16, false"},
		{plan.Column{Type: "const void *", Size: 8}, "number of 8 bytes, 0 times, void *, false"},
		{plan.Column{Type: "struct x", Size: 3}, "nothing of 0 bytes, 0 times, void, false"},
		{plan.Column{Type: "u8[6]", Size: 6, Elem: 1, Array: true}, "array of 1 bytes, 6 times, u8 [6], false"},
		{plan.Column{Type: "int[2]", Size: 8, Elem: 4, Array: true, Signed: true}, "array of 4 bytes, 2 times, int [2], true"},
		{plan.Column{Type: "x[3]", Size: 8, Elem: 3, Array: true}, "array of 1 bytes, 8 times, x [8], false"},
		{plan.Column{Type: "x[2]", Size: 8, Array: true}, "array of 1 bytes, 8 times, x [8], false"},
		{plan.Column{Type: "u8[0]", Array: true}, "nothing of 0 bytes, 0 times, void, false"},
		{plan.Column{Type: "__data_loc char[]", Size: 4, DataLoc: true}, "text of 1 bytes, 0 times, void, false"},
		{plan.Column{Type: "__rel_loc char[]", Size: 4, DataLoc: true}, "text of 1 bytes, 0 times, void, false"},
		{plan.Column{Type: "__data_loc u32[]", Size: 4, DataLoc: true}, "array of 1 bytes, 64 times, u8 [64], false"},
	} {
		tt.column.Name = "x"
		columns := []plan.Column{{Name: "__probe_ip", Size: 8}, {Name: "__probe_ret_ip", Size: 8}, {Name: "__probe_func", Size: 8}, tt.column}
		p := plan.FromEvent("sched", "event", columns, abi.Named("amd64")).Probes[0]
		if p.Comm != -1 || p.Caller != 1 || p.Stack != -1 || len(p.Args) != 4 || len(p.Fields) != 1 || p.Fields[0].Arg != 3 {
			t.Fatalf("comm %d, caller %d, stack %d, %d args, fields %+v", p.Comm, p.Caller, p.Stack, len(p.Args), p.Fields)
		}
		f := p.Fields[0]
		what := encodings[f.Encoding]
		if i, ok := f.Type.(*btf.Int); ok && i.Encoding == btf.Char {
			what = "character"
		}
		got := fmt.Sprintf("%s of %d bytes, %d times, %s, %t", what, f.Size, f.Count, btf.Name(f.Type), btf.Signed(f.Type) || f.Type != nil && f.Signed)
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.column.Type, got, tt.want)
		}
	}
	if p := plan.FromEvent("sched", "event", nil, abi.Named("amd64")).Probes[0]; p.Caller != -1 {
		t.Errorf("caller %d", p.Caller)
	}
}

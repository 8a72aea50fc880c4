package render_test

import (
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
)

// BTF that came in a file may have types that lead in a circle.
func TestTypeCircle(t *testing.T) {
	circle := &btf.Typedef{Name: "a"}
	circle.Type = &btf.Const{Type: circle}
	f := render.NewField(&value.Field{Label: "x", Type: circle, Size: 4}, false, &render.Options{})
	if got := string(f.AppendValue(nil, value.Value{Kind: value.Uint, Uint: 26})); got != "0x1a" {
		t.Errorf("%q", got)
	}
}

// Names that came in a file do not act on the terminal.
func TestNamesEscaped(t *testing.T) {
	const bad = "\x1b[2J"
	enum := &btf.Enum{Name: bad, Size: 4, Values: []btf.EnumValue{{Name: bad, Value: 1}}}
	f := render.NewField(&value.Field{Label: "x", Type: enum, Size: 4}, false, &render.Options{})
	for _, tt := range []struct {
		val  value.Value
		want string
	}{
		{value.Value{Kind: value.Uint, Uint: 1}, `\x1b[2J`},
		{value.Value{Kind: value.Uint, Uint: 2}, `(enum \x1b[2J)2`},
		{value.Value{Kind: value.Fault, Pointer: &value.PointerCheck{Label: bad}}, `(fault: \x1b[2J=NULL)`},
	} {
		if got := string(f.AppendValue(nil, tt.val)); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

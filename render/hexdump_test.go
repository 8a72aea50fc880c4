package render_test

import (
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
)

// TestHexDump shows the bytes of an object, all that there are.
func TestHexDump(t *testing.T) {
	field := value.Field{Label: "buf", Type: array(cUlong, 600), Format: "hex", Encoding: value.Dumped, Size: 1, Whole: 4}
	for memory, want := range map[string][2]string{
		"abcd": {"      buf = 61 62 63 64\n", `"value":"61 62 63 64"`},
		"ab":   {"      buf = 61 62 /* 2 of 4 bytes */\n", `"value":"61 62","size":4`},
	} {
		val := value.Value{Kind: value.Dump, Object: &value.Object{Bytes: []byte(memory), Whole: 4}}
		var opts render.Options
		f := render.NewField(&field, false, &opts)
		if got := string(f.AppendTree(nil, &val, 1)); got != want[0] {
			t.Errorf("%q: text %q, want %q", memory, got, want[0])
		}
		if got := string(json.New(nil, opts).AppendValue(nil, f, val)); got != want[1] {
			t.Errorf("%q: JSON %s, want %s", memory, got, want[1])
		}
	}
}

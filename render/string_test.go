package render_test

import (
	"bytes"
	stdjson "encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// FuzzJSONString holds strings against encoding/json.
func FuzzJSONString(f *testing.F) {
	for _, s := range []string{"", "lo", "\x1b[2J\n", "\xff\"\\", "\u202e\u0085", "日本\U000e0041", "\ufffd"} {
		f.Add([]byte(s))
	}
	p := json.New(nil, render.Options{})
	name := field("name", charPtr, "s")
	shown := render.NewField(&name, false, &render.Options{})
	badinput.Fuzz(f, func(t *testing.T, b []byte) {
		b, _, _ = bytes.Cut(b, []byte{0})
		got := p.AppendValue([]byte("{"), shown, txt(string(b)))
		got = append(got, '}')
		render.CheckSafe(t, got)
		var back struct{ Value, Bytes string }
		if err := stdjson.Unmarshal(got, &back); err != nil {
			t.Fatalf("%q became %s: %v", b, got, err)
		}
		if exact := !strings.Contains(string(got), `,"bytes":"`); exact != utf8.Valid(b) {
			t.Errorf("%q: exact is %v", b, exact)
		}
		want := strings.ToValidUTF8(string(b), "\ufffd")
		if utf8.Valid(b) && back.Value != want {
			t.Errorf("%q became %s and came back as %q", b, got, back.Value)
		}
	})
}

package render

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

func TestError(t *testing.T) {
	long := "f(" + strings.Repeat("aaaaaaaaa, ", 20) + "bad->x, " + strings.Repeat("ccccccccc, ", 19) + "c)"
	at := strings.Index(long, "bad")
	tests := []struct {
		name    string
		err     spec.Error
		want    string
		columns int
	}{
		{"whole message", spec.Error{
			Text: "ip_rcv(skbb->len)", Span: spec.Span{Pos: 7, End: 11},
			Msg: `ip_rcv has no parameter "skbb"`, Hint: "did you mean skb? choose a parameter: skb, dev, pt, orig_dev",
		}, `
tsnoop: ip_rcv has no parameter "skbb"
    ip_rcv(skbb->len)
           ^~~~
hint: did you mean skb? choose a parameter: skb, dev, pt, orig_dev
`, 0},
		{"no hint, no width", spec.Error{Text: "f(a", Span: spec.Span{Pos: 3, End: 3}, Msg: "missing )"}, `
tsnoop: missing )
    f(a
       ^
`, 0},
		{"empty spec", spec.Error{Msg: "the spec is empty", Hint: "one\ntwo"}, `
tsnoop: the spec is empty
hint: one\ntwo
`, 0},
		{"no width within", spec.Error{Text: "f(a b)", Span: spec.Span{Pos: 4, End: 4}, Msg: "missing ,"}, `
tsnoop: missing ,
    f(a b)
        ^
`, 0},
		{"beyond the end", spec.Error{Text: "f(a", Span: spec.Span{Pos: 70, End: 90}, Msg: "m"}, `
tsnoop: m
    f(a
       ^
`, 0},
		{"backwards", spec.Error{Text: "f(a)", Span: spec.Span{Pos: 2, End: 1}, Msg: "m"}, `
tsnoop: m
    f(a)
      ^
`, 0},
		{"before the start", spec.Error{Text: "f(a)", Span: spec.Span{Pos: -2, End: -1}, Msg: "m"}, `
tsnoop: m
    f(a)
    ^
`, 0},
		{"tabs and lines are spaces", spec.Error{Text: "f(\ta,\n\tbad)", Span: spec.Span{Pos: 7, End: 10}, Msg: "m"}, `
tsnoop: m
    f( a,  bad)
           ^~~
`, 0},
		{"wide and combining", spec.Error{
			Text: "f(c == \"日本e\u0301\", bad)", Span: spec.Span{Pos: 20, End: 23}, Msg: "m",
		}, "\ntsnoop: m\n    f(c == \"日本e\u0301\", bad)\n                    ^~~\n", 0},
		{"marked wide", spec.Error{Text: "f(日本)", Span: spec.Span{Pos: 2, End: 8}, Msg: "m"}, `
tsnoop: m
    f(日本)
      ^~~~
`, 0},
		{"escaped", spec.Error{Text: "f(\x1b[2J\xff, bad)", Span: spec.Span{Pos: 9, End: 12}, Msg: "say \"\\x1b\" \x1b"}, `
tsnoop: say "\x1b" \x1b
    f(\x1b[2J\xff, bad)
                   ^~~
`, 0},
		{"inside a rune", spec.Error{Text: "f(日)", Span: spec.Span{Pos: 3, End: 4}, Msg: "m"}, `
tsnoop: m
    f(日)
      ^~
`, 0},
		{"long", spec.Error{Text: long, Span: spec.Span{Pos: at, End: at + 3}, Msg: "m"}, `
tsnoop: m
    ...a, aaaaaaaaa, aaaaaaaaa, aaaaaaaaa, bad->x, ccccccccc, ccccccccc, cccccc...
                                           ^~~
`, 0},
		{"long, marked beyond the window", spec.Error{Text: long, Span: spec.Span{Pos: at, End: len(long)}, Msg: "m"}, `
tsnoop: m
    ...a, aaaaaaaaa, aaaaaaaaa, aaaaaaaaa, bad->x, ccccccccc, ccccccccc, cccccc...
                                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
`, 0},
		{"long, at its start", spec.Error{Text: long, Span: spec.Span{Pos: 0, End: 1}, Msg: "m"}, `
tsnoop: m
    f(aaaaaaaaa, aaaaaaaaa, aaaaaaaaa, aaaaaaaaa, aaaaaaaaa, aaaaaaaaa, aaaa...
    ^
`, 0},
		{"long, at its end", spec.Error{Text: long, Span: spec.Span{Pos: len(long), End: len(long)}, Msg: "m"}, `
tsnoop: m
    ...cc, ccccccccc, ccccccccc, ccccccccc, ccccccccc, ccccccccc, ccccccccc, c)
                                                                               ^
`, 0},
		{"long, on a narrow terminal", spec.Error{Text: long, Span: spec.Span{Pos: at, End: at + 3}, Msg: "m"}, `
tsnoop: m
    ...aaaaaa, aaaaaaaaa, bad->x, ccccccccc, c...
                          ^~~
`, 50},
		{"long, on a wide one", spec.Error{Text: long[:150] + "x)", Span: spec.Span{Pos: 150, End: 151}, Msg: "m"}, `
tsnoop: m
    ` + long[:150] + `x)
    ` + strings.Repeat(" ", 150) + `^
`, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(AppendError([]byte("\n"), &tt.err, false, tt.columns))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%q %v (-want +got):\n%s", tt.err.Text, tt.err.Span, diff)
			}
		})
	}
}

func TestErrorInColor(t *testing.T) {
	e := &spec.Error{Text: "f(a)", Span: spec.Span{Pos: 2, End: 3}, Msg: "m", Hint: "h"}
	want := "\x1b[31mtsnoop:\x1b[0m m\n    f(a)\n      \x1b[1;32m^\x1b[0m\n\x1b[1mhint:\x1b[0m h\n"
	if got := string(AppendError(nil, e, true, 0)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzError(f *testing.F) {
	f.Add("f(a)", 2, 3, "msg", "hint\nmore")
	f.Add("f(\x1b\xff日本\u0301)", 4, 900, "\x1b", "")
	badinput.Fuzz(f, func(t *testing.T, text string, pos, end int, msg, hint string) {
		e := &spec.Error{Text: text, Span: spec.Span{Pos: pos, End: end}, Msg: msg, Hint: hint}
		shown := string(AppendError(nil, e, false, 0))
		for _, r := range shown {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%U in the picture of %q", r, text)
			}
		}
		if n := strings.Count(shown, "\n"); n > 4 {
			t.Errorf("%d lines:\n%s", n, shown)
		}
	})
}

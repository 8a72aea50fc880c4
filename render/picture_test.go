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
		name string
		err  spec.Error
		want string
	}{
		{"whole message", spec.Error{
			Text: "ip_rcv(skbb->len)", Span: spec.Span{Pos: 7, End: 11},
			Msg: `ip_rcv has no parameter "skbb"`, Hint: "did you mean skb? parameters: skb, dev, pt, orig_dev",
		}, `
tsnoop: ip_rcv has no parameter "skbb"
    ip_rcv(skbb->len)
           ^~~~
hint: did you mean skb? parameters: skb, dev, pt, orig_dev
`},
		{"no hint, no width", spec.Error{Text: "f(a", Span: spec.Span{Pos: 3, End: 3}, Msg: "missing )"}, `
tsnoop: missing )
    f(a
       ^
`},
		{"empty spec", spec.Error{Msg: "the spec is empty", Hint: "one\ntwo"}, `
tsnoop: the spec is empty
hint: one
      two
`},
		{"no width within", spec.Error{Text: "f(a b)", Span: spec.Span{Pos: 4, End: 4}, Msg: "missing ,"}, `
tsnoop: missing ,
    f(a b)
        ^
`},
		{"beyond the end", spec.Error{Text: "f(a", Span: spec.Span{Pos: 70, End: 90}, Msg: "m"}, `
tsnoop: m
    f(a
       ^
`},
		{"backwards", spec.Error{Text: "f(a)", Span: spec.Span{Pos: 2, End: 1}, Msg: "m"}, `
tsnoop: m
    f(a)
      ^
`},
		{"before the start", spec.Error{Text: "f(a)", Span: spec.Span{Pos: -2, End: -1}, Msg: "m"}, `
tsnoop: m
    f(a)
    ^
`},
		{"tabs and lines are spaces", spec.Error{Text: "f(\ta,\n\tbad)", Span: spec.Span{Pos: 7, End: 10}, Msg: "m"}, `
tsnoop: m
    f( a,  bad)
           ^~~
`},
		{"wide and combining", spec.Error{
			Text: "f(c == \"日本e\u0301\", bad)", Span: spec.Span{Pos: 20, End: 23}, Msg: "m",
		}, "\ntsnoop: m\n    f(c == \"日本e\u0301\", bad)\n                    ^~~\n"},
		{"marked wide", spec.Error{Text: "f(日本)", Span: spec.Span{Pos: 2, End: 8}, Msg: "m"}, `
tsnoop: m
    f(日本)
      ^~~~
`},
		{"escaped", spec.Error{Text: "f(\x1b[2J\xff, bad)", Span: spec.Span{Pos: 9, End: 12}, Msg: "say \"\\x1b\" \x1b"}, `
tsnoop: say "\x1b" \x1b
    f(\x1b[2J\xff, bad)
                   ^~~
`},
		{"inside a rune", spec.Error{Text: "f(日)", Span: spec.Span{Pos: 3, End: 4}, Msg: "m"}, `
tsnoop: m
    f(日)
      ^~
`},
		{"long", spec.Error{Text: long, Span: spec.Span{Pos: at, End: at + 3}, Msg: "m"}, `
tsnoop: m
    ...a, aaaaaaaaa, aaaaaaaaa, aaaaaaaaa, bad->x, ccccccccc, ccccccccc, cccccc...
                                           ^~~
`},
		{"long, marked beyond the window", spec.Error{Text: long, Span: spec.Span{Pos: at, End: len(long)}, Msg: "m"}, `
tsnoop: m
    ...a, aaaaaaaaa, aaaaaaaaa, aaaaaaaaa, bad->x, ccccccccc, ccccccccc, cccccc...
                                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
`},
		{"long, at its start", spec.Error{Text: long, Span: spec.Span{Pos: 0, End: 1}, Msg: "m"}, `
tsnoop: m
    f(aaaaaaaaa, aaaaaaaaa, aaaaaaaaa, aaaaaaaaa, aaaaaaaaa, aaaaaaaaa, aaaa...
    ^
`},
		{"long, at its end", spec.Error{Text: long, Span: spec.Span{Pos: len(long), End: len(long)}, Msg: "m"}, `
tsnoop: m
    ...cc, ccccccccc, ccccccccc, ccccccccc, ccccccccc, ccccccccc, ccccccccc, c)
                                                                               ^
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(AppendError([]byte("\n"), &tt.err, false))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%q %v (-want +got):\n%s", tt.err.Text, tt.err.Span, diff)
			}
		})
	}
}

func TestErrorInColor(t *testing.T) {
	e := &spec.Error{Text: "f(a)", Span: spec.Span{Pos: 2, End: 3}, Msg: "m", Hint: "h"}
	want := "\x1b[31mtsnoop:\x1b[0m m\n    f(a)\n      \x1b[1;32m^\x1b[0m\n\x1b[1mhint:\x1b[0m h\n"
	if got := string(AppendError(nil, e, true)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzError(f *testing.F) {
	f.Add("f(a)", 2, 3, "msg", "hint\nmore")
	f.Add("f(\x1b\xff日本\u0301)", 4, 900, "\x1b", "")
	badinput.Fuzz(f, func(t *testing.T, text string, pos, end int, msg, hint string) {
		e := &spec.Error{Text: text, Span: spec.Span{Pos: pos, End: end}, Msg: msg, Hint: hint}
		for _, r := range string(AppendError(nil, e, false)) {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%U in the picture of %q", r, text)
			}
		}
	})
}

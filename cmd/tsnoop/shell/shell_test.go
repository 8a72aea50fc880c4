package shell_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/shell"
)

const bashBreaks = " \t\n\"'><=;|&(:"

func TestParse(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"tsnoop ", []string{""}},
		{"tsnoop", []string{"tsnoop"}},
		{"tsnoop ip_rcv", []string{"ip_rcv"}},
		{"sudo -E /usr/bin/tsnoop -p 1 'f(a, b", []string{"-p", "1", "f(a, b"}},
		{"cat x | tsnoop replay - f", []string{"replay", "-", "f"}},
		{"true && tsnoop \"f(a == \\\"x", []string{`f(a == "x`}},
		{`tsnoop f\(a-\>b`, []string{"f(a->b"}},
		{`tsnoop 'a\b' "c\d" `, []string{`a\b`, `c\d`, ""}},
		{"tsnoop tsnoop ", []string{""}},
		{"tsnoop '' ", []string{"", ""}},
		{"tsnoop 'f(a)'\t\t'g", []string{"f(a)", "g"}},
	} {
		if got := shell.Parse(c.line, "tsnoop").Words; !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}

func TestWrite(t *testing.T) {
	for _, c := range []struct{ shell, line, text, want string }{
		{"bash", "tsnoop 'f(a->n", "f(a->name", "f(a->name\nf(a->name)\n"},
		{"bash", "tsnoop f\\(a-\\>n", "f(a->name", "f\\(a-\\>name\n"},
		{"bash", "tsnoop --time=r", "--time=rel", "rel\n"},
		{"bash", "tsnoop mod:f", "mod:func", "func\n"},
		{"bash", "tsnoop \"f($c", "f($comm", "f(\\$comm\nf(\\$comm)\n"},
		{"zsh", "tsnoop 'f(a->n", "f(a->name", "f(a->name\n"},
		{"fish", "tsnoop 'f(a->n", "f(a->name", "f(a->name\nf(a->name)\n"},
		{"zsh", "tsnoop x", "x\x1b[2J", ""},
		{"fish", "tsnoop x", "x\ny", ""},
	} {
		var out strings.Builder
		err := shell.Parse(c.line, "tsnoop").Write(&out, c.shell, bashBreaks, shell.Answer{Kind: shell.Open, Words: []shell.Word{{Text: c.text}}})
		if err != nil || out.String() != "open\n"+c.want {
			t.Errorf("%s, %s: %q, %v; want %q", c.shell, c.line, out.String(), err, c.want)
		}
	}
}

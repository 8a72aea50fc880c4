package render

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestAppendWrapped(t *testing.T) {
	for _, tt := range []struct {
		text    string
		columns int
		want    string
	}{
		{"short", 40, "short"},
		{"a line that is longer than the terminal is wide", 40, "a line that is longer than the\n    terminal is wide"},
		{"a line that is longer than the terminal is wide", 0, "a line that is longer than the terminal is wide"},
		{"a line that is longer than the terminal is wide", 39, "a line that is longer than the terminal is wide"},
		{"trace it with tsnoop 'vfs_read(count, return)', or not", 40, "trace it with tsnoop\n    'vfs_read(count, return)', or not"},
		{"the kernel's own name, which isn't quoted at all", 40, "the kernel's own name, which isn't\n    quoted at all"},
		{"'a spec that is much too long for a line of the terminal' and more", 40, "'a spec that is much too long for a\n    line of the terminal' and more"},
		{"/a/path/that/is/longer/than/one/line/of/it and more of it", 40, "/a/path/that/is/longer/than/one/line/of/it\n    and more of it"},
		{"日本語 日本語 日本語 日本語 日本語 日本語", 40, "日本語 日本語 日本語 日本語 日本語\n    日本語"},
	} {
		if got := string(AppendWrapped(nil, []byte(tt.text), 4, 4, tt.columns)); got != tt.want {
			t.Errorf("%d columns: got %q, want %q", tt.columns, got, tt.want)
		}
	}
}

// TestAppendWrappedRandom: nothing is lost, and what has a space to break at fits.
func TestAppendWrappedRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		var text strings.Builder
		for range random.IntN(30) {
			text.WriteString(strings.Repeat("x", random.IntN(12)))
			text.WriteByte(" '',"[random.IntN(4)])
		}
		columns := leastWrapped + random.IntN(60)
		got := string(AppendWrapped(nil, []byte(text.String()), 8, 6, columns))
		if strings.ReplaceAll(strings.ReplaceAll(got, "\n", ""), " ", "") != strings.ReplaceAll(text.String(), " ", "") {
			t.Fatalf("%q became %q", text.String(), got)
		}
		for i, line := range strings.Split(got, "\n") {
			if i == 0 {
				line = "tsnoop: " + line
			}
			if rest := strings.TrimRight(line, " "); len(rest) > columns && strings.Contains(strings.TrimLeft(rest[8:], " "), " ") {
				t.Fatalf("%d columns of %d: %q", len(rest), columns, line)
			}
		}
	}
}

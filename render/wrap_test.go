package render

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
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
		{"trace it with tsnoop 'vfs_read(count, return)', or not", 40, "trace it with\n    tsnoop 'vfs_read(count, return)', or\n    not"},
		{"the kernel's own name, which isn't quoted at all", 40, "the kernel's own name, which isn't\n    quoted at all"},
		{"'a spec that is much too long for a line of the terminal' and more", 40, "'a spec that is much too long for a\n    line of the terminal' and more"},
		{"when the cause is gone, tsnoop record --recover /var/log/a.long/name.dat makes a file of it", 40, "when the cause is gone,\n    tsnoop record --recover /var/log/a.long/name.dat\n    makes a file of it"},
		{"run in the namespace of the host: nsenter -t 1 -p, or docker run --pid=host", 40, "run in the namespace of the host:\n    nsenter -t 1 -p, or\n    docker run --pid=host"},
		{"these lines are of no use where tsnoop itself keeps the time of all calls", 40, "these lines are of no use where\n    tsnoop itself keeps the time of all\n    calls"},
		{"it is not in the kernel: mount -t tracefs nodev /sys/kernel/tracing", 40, "it is not in the kernel:\n    mount -t tracefs nodev /sys/kernel/tracing"},
		{"values must be on the right side: skb->len > 100", 40, "values must be on the right side:\n    skb->len > 100"},
		{"cast its address to what it points to: ((struct page *)&x)[0]", 40, "cast its address to what it points\n    to: ((struct page *)&x)[0]"},
		{"its prototype: int f(struct file *file, char *buf, size_t count, loff_t *pos)", 40, "its prototype: int f(struct file\n    *file, char *buf, size_t count,\n    loff_t *pos)"},
		{`there is no task whose name is "a long name" here`, 40, "there is no task whose name is\n    \"a long name\" here"},
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

// TestWrappedHints wraps the hints of all golden errors: each fits, is still the same text,
// and shows what can be copied, a command or a spec, on one line.
func TestWrappedHints(t *testing.T) {
	files, _ := filepath.Glob("../fetchargs/testdata/*.txtar")
	copied := regexp.MustCompile(`tsnoop \w+ '[^']*'|'[^']*'`)
	hints := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			hint, ok := strings.CutPrefix(strings.TrimSpace(line), "hint: ")
			if !ok {
				continue
			}
			hints++
			for _, columns := range []int{40, 60, 80} {
				got := string(AppendWrapped(nil, []byte(hint), 6, 6, columns))
				if joined := strings.ReplaceAll(got, "\n      ", " "); joined != hint {
					t.Errorf("%q became %q", hint, joined)
				}
				for i, line := range strings.Split(got, "\n") {
					if line = strings.TrimPrefix(line, "      "); 6+TextWidth([]byte(line)) > columns && len(firstPiece([]byte(line), columns-6)) < len(line) {
						t.Errorf("line %d is too long for %d columns:\n%s", i, columns, got)
					}
				}
				for _, piece := range copied.FindAllString(hint, -1) {
					if len(piece) <= columns-6 && !strings.Contains(got, piece) {
						t.Errorf("%q is broken on %d columns:\n%s", piece, columns, got)
					}
				}
			}
		}
	}
	if hints < 100 {
		t.Errorf("only %d hints", hints)
	}
}

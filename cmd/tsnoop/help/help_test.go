package help_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/help"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/preset"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/shell"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
)

// rendered is a page as man(1) shows it to somebody. It must not warn of anything.
func rendered(t *testing.T, roff string) string {
	program, err := exec.LookPath("man")
	if err != nil {
		t.Skip("there is no man here")
	}
	file := filepath.Join(t.TempDir(), "page")
	if err := os.WriteFile(file, []byte(roff), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--warnings=w", "-E", "UTF-8", "-l", "-Tutf8", file)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "MANWIDTH=80", "MAN_KEEP_FORMATTING=", "GROFF_NO_SGR=1")
	var warnings strings.Builder
	cmd.Stderr = &warnings
	out, err := cmd.Output()
	if err != nil || warnings.Len() > 0 {
		t.Fatalf("man: %v: %s", err, warnings.String())
	}
	col := exec.Command("col", "-bx")
	col.Stdin = strings.NewReader(string(out))
	plain, err := col.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

// checkWidth fails if a line of text takes more than 80 columns.
func checkWidth(t *testing.T, name, text string) {
	t.Helper()
	n := 0
	for line := range strings.Lines(text) {
		n++
		if w := render.TextWidth([]byte(strings.TrimRight(line, "\n"))); w > 80 {
			t.Errorf("%s, line %d has %d columns: %s", name, n, w, line)
		}
	}
}

// TestWidth reads all that is longer than a few lines and was written for people.
func TestWidth(t *testing.T) {
	checkWidth(t, "usage", help.Usage())
	for name, text := range help.Topics() {
		checkWidth(t, name, text)
	}
	for _, p := range preset.All() {
		checkWidth(t, "@"+p.Name, p.Text)
		checkWidth(t, "list @"+p.Name, fmt.Sprintf("%-12s %s\n", "@"+p.Name, p.Brief))
		if !strings.HasSuffix(p.Brief, ".") && !strings.HasSuffix(p.Brief, "?") {
			t.Errorf("@%s: %q is not a sentence", p.Name, p.Brief)
		}
	}
}

// TestManual has all pages rendered, and looks for every flag, FORMAT and word of help.
func TestManual(t *testing.T) {
	for _, p := range help.Pages() {
		t.Run(p.Name, func(t *testing.T) {
			shown := rendered(t, p.Roff())
			checkWidth(t, p.Name, shown)
			switch p.Name {
			case "tsnoop":
				for _, f := range flags.Rows() {
					if !strings.Contains(shown, "--"+f.Name) {
						t.Errorf("--%s is not in the page", f.Name)
					}
				}
			case "tsnoop-spec":
				words := strings.Fields(strings.ReplaceAll(shown, ";", ""))
				for _, name := range value.FormatNames() {
					if !slices.Contains(words, name) {
						t.Errorf("the format %s is not in the page", name)
					}
				}
			}
			// man(1) breaks words at the ends of lines, and headings are capitals.
			flat := strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(shown, "‐\n", "")), ""))
			for word := range strings.FieldsSeq(p.Text) {
				word = strings.ToLower(strings.TrimSuffix(word, ":"))
				if word != "usage" && !strings.Contains(flat, word) {
					t.Errorf("%q is not in the page", word)
				}
			}
		})
	}
}

// TestExampleLines reads the command lines of the examples. That they show something
// the tests on kernels see.
func TestExampleLines(t *testing.T) {
	lines := 0
	whole := strings.NewReplacer("\\\n    ", "", "\n    ", " ").Replace(help.Topics()["examples"])
	for line := range strings.Lines(whole) {
		if !strings.HasPrefix(line, "  tsnoop ") {
			continue
		}
		lines++
		words := shell.Parse(strings.TrimSpace(line)+" ", "tsnoop").Words
		o, err := flags.Parse(words[:len(words)-1])
		if err != nil || o.Command != "trace" || len(o.Args) == 0 {
			t.Errorf("%s: %v, %v", line, err, o.Args)
		}
	}
	if lines < 20 {
		t.Errorf("%d examples", lines)
	}
}

package spec_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestErrors parses the specs of testdata/*.txtar, one a line, and compares the errors of
// each: message, place, hint, and the spec as the hint mends it. A spec without errors is
// shown in its canonical form.
func TestErrors(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	if len(files) == 0 {
		t.Fatal("no golden files")
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		specs, want := &archive.Files[0], &archive.Files[1]
		var got strings.Builder
		for text := range strings.Lines(string(specs.Data)) {
			text = strings.TrimSuffix(text, "\n")
			fmt.Fprintf(&got, "$ %s\n%s\n", text, parsed(strings.ReplaceAll(text, `\t`, "\t")))
		}
		if *update {
			want.Data = []byte(got.String())
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(string(want.Data), got.String()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", file, diff)
		}
	}
}

func parsed(text string) string {
	s, err := spec.Parse(text)
	if err == nil {
		return s.String() + "\n"
	}
	var errs spec.Errors
	errors.As(err, &errs)
	var b strings.Builder
	for _, e := range errs {
		fmt.Fprintf(&b, "%s\n  %s\n  %*s%s\n", e.Msg, e.Text, e.Pos, "", strings.Repeat("^", max(1, e.End-e.Pos)))
		if e.Hint != "" {
			fmt.Fprintf(&b, "hint: %s\n", e.Hint)
		}
		if e.Fix.Text != "" {
			fmt.Fprintf(&b, "then: %s\n", e.Text[:e.Fix.Pos]+e.Fix.Text+e.Text[e.Fix.End:])
		}
	}
	return b.String()
}

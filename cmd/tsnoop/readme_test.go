package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/preset"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/shell"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/specs"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/testdata/readme"
)

// TestReadme reads all command lines of README.md, and their specs. That kernels have
// what they name TestEndsReadme sees.
func TestReadme(t *testing.T) {
	lines, err := readme.Lines(filepath.Join(top, "README.md"))
	if err != nil || len(lines) < 30 {
		t.Fatalf("%v, %d lines", err, len(lines))
	}
	for _, line := range lines {
		words := shell.Parse(line+" ", "tsnoop").Words
		o, err := flags.Parse(words[:len(words)-1])
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		words = o.Args
		switch {
		case o.Command == "replay":
			words = words[1:]
		case !o.TakesSpecs():
			continue
		}
		for _, text := range words {
			if preset.Is(text) {
				_, err = specs.Preset(text)
			} else {
				_, err = spec.Parse(text)
			}
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}

// TestReadmeLibrary compiles the function in README.md that uses the packages.
func TestReadmeLibrary(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	function := regexp.MustCompile(`(?s)\n    func .*?\n    }\n`).FindString(string(text))
	file := filepath.Join(t.TempDir(), "main.go")
	var program strings.Builder
	program.WriteString("package main\nimport (\n\"context\"\n\"fmt\"\n")
	for _, name := range []string{"tracefs", "tracefs/machine", "tracefs/trace"} {
		program.WriteString("\"" + module + "/" + name + "\"\n")
	}
	program.WriteString(")\nfunc main() { reads(nil, nil) }\n" + function)
	if err := os.WriteFile(file, []byte(program.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "vet", "-stdmethods", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

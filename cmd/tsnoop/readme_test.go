package main

import (
	"path/filepath"
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

package main

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/preset"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/shell"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/specs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/testdata/readme"
)

// TestReadme reads all command lines of README.md, and their specs. That kernels have
// what they name TestVMReadme sees.
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

// TestReadmeArchitectures counts the architectures that packages are built for and that
// README.md does not name.
func TestReadmeArchitectures(t *testing.T) {
	all := regexp.MustCompile(`(?m)^all="(.*)"$`).FindStringSubmatch(readTop(t, "cmd/tsnoop/dist/dist.sh"))
	others := regexp.MustCompile(`On (\d+) other\s+architectures`).FindStringSubmatch(readTop(t, "README.md"))
	if all == nil || others == nil || others[1] != strconv.Itoa(len(strings.Fields(all[1]))-len(abi.Names())) {
		t.Errorf("dist.sh builds for %q, README.md has %q", all, others)
	}
}

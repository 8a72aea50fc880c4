package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
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

// TestPicture: the picture in README.md is well-formed, has each line in a text of its own,
// and shows commands that this tsnoop accepts, except the one whose error it shows.
func TestPicture(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`(?m)^!\[[^]]+\]\((.*\.svg)\)$`).FindSubmatch(text)
	if link == nil {
		t.Fatal("README.md shows no picture")
	}
	lines := strings.Split(strings.ReplaceAll(pictured(t, string(link[1])), " \\\n   ", ""), "\n")
	commands, calls := 0, 0
	for i, line := range lines {
		calls += strings.Count(line, "do_sys_openat2(filename=")
		line, found := strings.CutPrefix(line, "# tsnoop ")
		if !found {
			continue
		}
		commands++
		words := shell.Parse("tsnoop "+line+" ", "tsnoop").Words
		o, err := flags.Parse(words[:len(words)-1])
		if err != nil || i+1 == len(lines) {
			t.Fatalf("%s: %v", line, err)
		}
		for _, text := range o.Args {
			if _, err := spec.Parse(text); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	if commands != 3 || calls != 2 {
		t.Errorf("%d commands and %d calls of do_sys_openat2 are shown", commands, calls)
	}
}

// pictured returns the text of a picture.
func pictured(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join(top, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var text strings.Builder
	shown := false
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		switch token := token.(type) {
		case xml.StartElement:
			shown = shown || token.Name.Local == "text"
		case xml.EndElement:
			if token.Name.Local == "text" {
				shown = false
				text.WriteByte('\n')
			}
		case xml.CharData:
			if shown {
				text.Write(token)
			}
		}
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

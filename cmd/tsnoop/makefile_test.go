package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMakeHelp: make help lists every target that is for people.
func TestMakeHelp(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("there is no make here")
	}
	cmd := exec.Command("make", "-s", "help")
	cmd.Dir = top
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	makefile, err := os.ReadFile(filepath.Join(top, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	phony := regexp.MustCompile(`(?m)^\.PHONY: build (.*)`).FindSubmatch(makefile)
	if phony == nil {
		t.Fatal("Makefile has no .PHONY with build first")
	}
	for target := range strings.FieldsSeq(string(phony[1])) {
		if target != "linter" && !regexp.MustCompile(`(?m)^make `+target+` +\w`).Match(out) {
			t.Errorf("make help does not list %s:\n%s", target, out)
		}
	}
}

package main

import (
	"os"
	"regexp"
	"testing"
)

// TestDependencies compares the table in CONTRIBUTING.md with the versions that go.mod and
// the build use: none lacks a reason.
func TestDependencies(t *testing.T) {
	listed := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\S+\.\S+/\S+) \| (v\S+) \| (.{20,}) \|$`).FindAllStringSubmatch(readTop(t, "CONTRIBUTING.md"), -1) {
		listed[row[1]] = row[2]
	}
	used := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`).FindAllStringSubmatch(readTop(t, "go.mod"), -1) {
		used[row[1]] = row[2]
	}
	tools := regexp.MustCompile(`(\S+?)/cmd/\S+@(v[\d.]+)`)
	for _, file := range []string{"Makefile", "cmd/tsnoop/dist/dist.sh"} {
		for _, tool := range tools.FindAllStringSubmatch(readTop(t, file), -1) {
			used[tool[1]] = tool[2]
		}
	}
	if len(used) < 12 {
		t.Errorf("only %v are used", used)
	}
	for name, version := range used {
		if listed[name] != version {
			t.Errorf("CONTRIBUTING.md has version %q of %s, and %s is used", listed[name], name, version)
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf("CONTRIBUTING.md has %s, which is not used", name)
	}
}

func readTop(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(top + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

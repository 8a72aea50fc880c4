//go:build vm

package suite

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// kernelTests are those of the kernel that have to do with what tsnoop does: of
// tools/testing/selftests/ftrace/test.d, put into the machine by trust.sh. A list in
// TSNOOP_FTRACETEST chooses others.
var kernelTests = strings.Fields(cmp.Or(os.Getenv("TSNOOP_FTRACETEST"), "kprobe/*.tc dynevent/*.tc instances/*.tc trigger/*.tc"))

// TestFtracetest runs the kernel's own tests of tracefs before, beside and after
// tsnoop. They begin by deleting all probes of the machine, which the kernel refuses as
// long as anybody has one enabled: they are made to delete all but those of a group
// "tsnoop_...". Some of them still fail in the same way with a plain probe of such a
// name in an instance, so the runs beside tsnoop are compared with that.
func TestFtracetest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ftrace")
	if out, err := exec.Command("cp", "-r", "/opt/ftrace", dir).CombinedOutput(); err != nil {
		t.Fatalf("no tests of the kernel here, see trust.sh: %v\n%s", err, out)
	}
	spare(t, dir)

	before := ftracetest(t, dir)
	if len(before) < 10 {
		t.Fatalf("only %d results: %v", len(before), before)
	}

	instance := filepath.Join(tracing, "instances/plain")
	if err := os.Mkdir(instance, 0o750); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"p:tsnoop_plain/read vfs_read", "r:tsnoop_plain/clone kernel_clone"} {
		if err := appendTo("kprobe_events", line); err != nil {
			t.Fatal(err)
		}
	}
	mustWrite(t, filepath.Join(instance, "events/tsnoop_plain/enable"), "1")
	plain := ftracetest(t, dir)
	mustWrite(t, filepath.Join(instance, "events/tsnoop_plain/enable"), "0")
	if err := os.Remove(instance); err != nil {
		t.Error(err)
	}
	for _, line := range []string{"-:tsnoop_plain/read", "-:tsnoop_plain/clone"} {
		if err := appendTo("kprobe_events", line); err != nil {
			t.Error(err)
		}
	}

	tr := startTrace(t, "-t", "none", "vfs_read(count) if count == 4242", "kernel_clone(return)")
	beside := ftracetest(t, dir)
	l := prepare(t, "pid", "@", "read", "/proc/version", "4242")
	l.run()
	tr.end()
	if b, err := os.ReadFile(tr.out); err != nil || !strings.Contains(string(b), "vfs_read(count=4242)") {
		t.Errorf("tsnoop has not seen a call after the tests: %v\n%s", err, tr.said())
	}
	nothingLeft(t)
	after := ftracetest(t, dir)

	sameResults(t, "after tsnoop", before, after)
	sameResults(t, "beside tsnoop", plain, beside)
	passed, others := 0, 0
	for name, result := range before {
		if result == "PASS" {
			passed++
		}
		if plain[name] != result {
			others++
			t.Logf("%s: %s, but %s beside any probe", name, result, plain[name])
		}
	}
	figure(t, "tests of the kernel", len(before))
	figure(t, "passed", passed)
	figure(t, "that mind any probe", others)
}

// truncating is a definition written so that all others go.
var truncating = regexp.MustCompile(`([^>&0-9])> ?(kprobe_events|dynamic_events)\b`)

// spare makes the tests delete only the probes of others than tsnoop.
func spare(t *testing.T, dir string) {
	t.Helper()
	const all = "echo > kprobe_events"
	files, err := filepath.Glob(filepath.Join(dir, "test.d/*/*.tc"))
	if err != nil {
		t.Fatal(err)
	}
	helpers := filepath.Join(dir, "test.d/functions")
	for _, file := range append(files, helpers) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(b), all, "clear_kprobes")
		text = strings.ReplaceAll(text, "echo > dynamic_events", "clear_dynamic_events")
		text = truncating.ReplaceAllString(text, "$1>> $2") // which also deletes all
		text = strings.ReplaceAll(text, "grep -v '^#' dynamic_events", "grep -v -e '^#' -e ':tsnoop_' dynamic_events")
		if file == helpers {
			text += `
clear_kprobes() {
    for event in $(grep -v ':tsnoop_' kprobe_events | sed -e 's/^[^:]*:\([^ ]*\).*/\1/'); do
	echo "-:$event" >> kprobe_events || return 1
    done
}
`
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

var ftraceResult = regexp.MustCompile(`(?m)^\[\d+\] ?(.*)\t\[([A-Z]+)\]$`)

// ftracetest runs the tests, and returns the results by their descriptions.
func ftracetest(t *testing.T, dir string) map[string]string {
	t.Helper()
	args := []string{filepath.Join(dir, "ftracetest"), "-l", filepath.Join(dir, "logs")}
	for _, pattern := range kernelTests {
		names, err := filepath.Glob(filepath.Join(dir, "test.d", pattern))
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, names...)
	}
	start := time.Now()
	out, _ := exec.Command("/bin/sh", args...).CombinedOutput() // its status is that of the worst
	results := map[string]string{}
	for _, m := range ftraceResult.FindAllSubmatch(out, -1) {
		name := strings.TrimSpace(string(m[1]))
		for results[name] != "" {
			name += " again"
		}
		results[name] = string(m[2])
	}
	t.Logf("%d results in %v", len(results), time.Since(start).Round(time.Second))
	if len(results) == 0 {
		t.Logf("%s", out)
	}
	return results
}

// sameResults compares two runs of the same tests.
func sameResults(t *testing.T, when string, want, got map[string]string) {
	t.Helper()
	var diff []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if want[name] != got[name] {
			diff = append(diff, fmt.Sprintf("%s: %s, was %s", name, got[name], want[name]))
		}
	}
	if diff != nil || len(want) != len(got) {
		t.Errorf("%s %d results differ, of %d and %d:\n%s", when, len(diff), len(want), len(got), strings.Join(diff, "\n"))
	}
}

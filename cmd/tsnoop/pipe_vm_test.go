//go:build vm

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVMHead traces what goes on without end into a pipe whose reader goes away
// after one line, as "| head -n 1": tsnoop ends by itself, which is no failure,
// says nothing and leaves nothing behind.
func TestVMHead(t *testing.T) {
	for _, flags := range []string{"--reader=raw", "--json", "--reader=text", "--json --reader=text"} {
		t.Run(flags, func(t *testing.T) {
			l := prepare(t, "pid", "@", "burst", "0", "1000000x1")
			args := append(strings.Fields(flags), "-p", l.pid, "generic_file_llseek(offset)")
			line := firstLine(t, exec.Command("tsnoop", args...), func() {
				if err := os.WriteFile(l.file+".go", nil, 0o644); err != nil {
					t.Fatal(err)
				}
			})
			if !strings.Contains(line, "generic_file_llseek") {
				t.Errorf("first line %q", line)
			}
			nothingLeft(t)
		})
	}
}

// nothingLeft checks that there is nothing of tsnoop's in tracefs.
func nothingLeft(t *testing.T) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(tracing, "instances/tsnoop*"))
	if err != nil || len(left) > 0 {
		t.Errorf("instances are left: %s %v", left, err)
	}
	probes, err := os.ReadFile(filepath.Join(tracing, "kprobe_events"))
	if err != nil || bytes.Contains(probes, []byte("tsnoop")) {
		t.Errorf("probes are left: %s %v", probes, err)
	}
}

//go:build vm

package trace_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestVMExampleLive runs the live example: it prints ten lines, and whatever ends it,
// nothing is left in tracefs.
func TestVMExampleLive(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	// Another process reads: the engine does not trace the one it runs in.
	reader := exec.CommandContext(ctx, "sh", "-c", "while :; do dd if=/dev/zero of=/dev/null bs=8192 count=4 2>/dev/null; sleep 0.1; done")
	if err := reader.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { stop(); reader.Wait() }()
	var ten bytes.Buffer
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for _, tt := range []struct {
		name string
		w    io.Writer
		err  error
	}{{"ten", &ten, nil}, {"an error", full, syscall.ENOSPC}} {
		if err := tenReads(ctx, tt.w); !errors.Is(err, tt.err) {
			t.Errorf("%s: %v", tt.name, err)
		}
		instances, _ := filepath.Glob("/sys/kernel/tracing/instances/tsnoop*")
		probes, err := os.ReadFile("/sys/kernel/tracing/kprobe_events")
		if err != nil || len(instances) > 0 || len(probes) > 0 {
			t.Errorf("%s: left are %q, %s, %v", tt.name, instances, probes, err)
		}
	}
	if n := strings.Count(ten.String(), " ns\n"); n != 10 {
		t.Errorf("%d lines, want 10: %s", n, &ten)
	}
}

package trace_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

func traceReads(ctx context.Context, fs *tracefs.FS) error {
	h := host.New(fs)
	plans, err := h.Plan([]string{"vfs_read(count, return)"}, host.PlanOptions{})
	if err != nil {
		return err // with the place in the spec
	}
	t, err := trace.Arm(ctx, h, plans, trace.Options{})
	if err != nil {
		return err
	}
	defer t.Close() // removes the probes: do not call os.Exit before it has run
	for call, err := range t.Calls(ctx) {
		if err != nil {
			return err
		}
		fmt.Println(call.Return.Comm, call.Duration)
	}
	return nil
}

var _ = traceReads

// TestReadme compares the function above with the one in README.md.
func TestReadme(t *testing.T) {
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(source), "\nfunc traceReads(")
	code, _, _ = strings.Cut(code, "\n}\n")
	block := strings.ReplaceAll("func traceReads("+code+"\n}", "\n", "\n    ")
	if !strings.Contains(string(readme), strings.ReplaceAll(block, "\t", "    ")) {
		t.Errorf("README.md has another function than\n%s", block)
	}
}

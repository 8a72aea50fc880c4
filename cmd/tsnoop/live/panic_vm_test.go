//go:build vm

package live

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// TestVMPanicTracing panics while a trace runs: Trace undoes all of it on the way up.
func TestVMPanicTracing(t *testing.T) {
	o, err := flags.Parse([]string{"generic_file_llseek(offset, return)"})
	if err != nil {
		t.Fatal(err)
	}
	run, err := Begin(o, &terminal.UI{Stderr: new(bytes.Buffer)}, true)
	if err != nil {
		t.Fatal(err)
	}
	group, panicked := "", any(nil)
	func() {
		defer func() { panicked = recover() }()
		run.Trace(nil, nil, func(_ context.Context, tr *trace.Trace, _ func()) error {
			group = tr.Session().Group()
			if !strings.Contains(probes(t), group) {
				t.Error("not armed")
			}
			panic("on purpose")
		})
	}()
	if panicked != "on purpose" {
		t.Errorf("the panic is %v", panicked)
	}
	if _, err := os.Stat("/sys/kernel/tracing/instances/" + group); err == nil || strings.Contains(probes(t), group) {
		t.Errorf("left behind is %s:\n%s", group, probes(t))
	}
}

func probes(t *testing.T) string {
	b, err := os.ReadFile("/sys/kernel/tracing/kprobe_events")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

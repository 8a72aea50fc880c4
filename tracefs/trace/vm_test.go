//go:build vm

package trace_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/tracee"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/record"
	"github.com/tsnoop/tsnoop/tracefs/replay"
	"github.com/tsnoop/tsnoop/tracefs/stream"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// reads is how often the program of armed reads a byte, and then finds the end.
const reads = 1000

// A tooLate is done as soon as events are enabled, when Arm has no reason any more to
// give up: what has been recorded would be lost.
type tooLate struct {
	context.Context
	fs *tracefs.FS
}

func (c tooLate) Err() error {
	for _, name := range c.fs.Glob("instances/tsnoop_*/events/tsnoop_*/enable") {
		if b, err := c.fs.ReadFile(name); err == nil && b[0] == '1' {
			return context.Canceled
		}
	}
	return nil
}

// armed arms vfs_read for a program that reads a file of as many bytes one by one, and
// lets it run. The context is done when it has ended.
func armed(t *testing.T, o trace.Options) (context.Context, *trace.Trace) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bytes")
	if err := os.WriteFile(file, make([]byte, reads), 0o600); err != nil {
		t.Fatal(err)
	}
	fs, err := tracefs.Find()
	if err != nil {
		t.Fatal(err)
	}
	h := host.New(fs)
	const spec = `vfs_read(name=file->f_path.dentry->d_name.name, count, return) if file->f_path.dentry->d_name.name == "bytes"`
	plans, err := h.Plan([]string{spec}, host.PlanOptions{Text: o.Text})
	if err != nil {
		t.Fatal(err)
	}
	p, err := tracee.Hold(exec.Command("dd", "if="+file, "of=/dev/null", "bs=1"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	o.Pids, o.Follow = []int{p.PID()}, true
	o.Warn = func(w tracefs.Warning) { t.Log(w.Text) }
	tr, err := trace.Arm(tooLate{t.Context(), fs}, h, plans, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
		left, err := fs.ReadFile("kprobe_events")
		if err != nil || strings.Contains(string(left), tr.Session().Group()) {
			t.Errorf("left behind: %s%v", left, err)
		}
	})
	ctx, err := p.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return ctx, tr
}

// count checks what the calls of the program are and how many there are.
func count(t *testing.T, r *stream.Stream, all func(func(*calls.Call, error) bool)) {
	t.Helper()
	n, bytes := 0, 0
	for c, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		n++
		for f, v := range r.Values(c) {
			switch {
			case f.Label == "return":
				bytes += int(v.Uint)
			case f.Label == "count" && v.Uint != 1, f.Label == "name" && (v.Kind != value.Text || string(v.Bytes) != "bytes"):
				t.Fatalf("call %d: %s is %+v", n, f.Label, v)
			}
		}
	}
	if n != reads+1 || bytes != reads {
		t.Errorf("%d calls that read %d bytes, want %d and %d", n, bytes, reads+1, reads)
	}
}

// A program that imports this package gets every call, with typed values, and leaves
// nothing behind.
func TestVMTrace(t *testing.T) {
	for name, o := range map[string]trace.Options{"raw": {}, "text": {Text: true}, "boot clock": {Clock: "boot"}} {
		t.Run(name, func(t *testing.T) {
			ctx, tr := armed(t, o)
			count(t, &tr.Stream, tr.Calls(ctx))
			lost := tr.Losses()
			if lost.Err != nil || lost.Events() != 0 || len(lost.Missed) > 0 {
				t.Errorf("%+v", lost)
			}
		})
	}
}

// TestVMTraceDone: events recorded before anybody ranges over the calls are not lost,
// even if the context is done by then.
func TestVMTraceDone(t *testing.T) {
	for name, o := range map[string]trace.Options{"raw": {}, "text": {Text: true}} {
		t.Run(name, func(t *testing.T) {
			ctx, tr := armed(t, o)
			<-ctx.Done()
			count(t, &tr.Stream, tr.Calls(ctx))
		})
	}
}

// Who has enough of the calls stops ranging over them.
func TestVMTraceBreak(t *testing.T) {
	ctx, tr := armed(t, trace.Options{})
	n := 0
	for _, err := range tr.Calls(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 10 {
			break
		}
	}
	if n != 10 {
		t.Errorf("%d calls", n)
	}
	if err := tr.Losses().Err; err != nil {
		t.Error(err)
	}
}

// TestVMRecord: Open reads what was recorded.
func TestVMRecord(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.dat")
	rec, err := record.New(name, record.Options{}, func(w tracefs.Warning) { t.Log(w.Text) })
	if err != nil {
		t.Fatal(err)
	}
	ctx, tr := armed(t, trace.Options{})
	err = tr.Record(ctx, rec)
	if err = rec.Close(err); err != nil || !rec.Saved() {
		t.Fatalf("saved %v: %v", rec.Saved(), err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	r, err := replay.Open(f, info.Size(), replay.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	count(t, &r.Stream, r.Calls(t.Context()))
	if err := r.Damage(); err != nil || r.Losses().Events() != 0 {
		t.Errorf("%v, %+v", err, r.Losses())
	}
}

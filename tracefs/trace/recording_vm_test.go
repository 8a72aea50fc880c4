//go:build vm

package trace_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/tracefs/record"
	"github.com/tsnoop/tsnoop/tracefs/trace"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// The head is complete before events are enabled, and pages are taken before Record is
// called: what is done between the first event and that can take long. If it is not called,
// nothing is left of them.
func TestVMFirstPages(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "t.dat")
	rec, err := record.New(name, record.Options{Sync: time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, tr := armed(t, trace.Options{Ready: func(tr *trace.Trace) error {
		err := tr.BeginRecording(rec)
		head, _ := os.ReadFile(name + ".head")
		group := tr.Session().Group()
		enabled, _ := os.ReadFile(filepath.Join("/sys/kernel/tracing/instances", group, "events", group, "enable"))
		if _, damaged := tracedat.Open(bytes.NewReader(head), int64(len(head))); damaged != nil || string(enabled) != "0\n" {
			t.Errorf("the head has %d bytes, %v, and the events' enable has %q", len(head), damaged, enabled)
		}
		return err
	}})
	<-ctx.Done()
	for until := time.Now().Add(20 * time.Second); strings.HasPrefix(rec.String(), "0 events"); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("none was taken")
		}
	}
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	if err := rec.Close(nil); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

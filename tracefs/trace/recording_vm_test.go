//go:build vm

package trace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/tracefs/record"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// Pages are on the disk before Record is called: what is done between the first event and
// that can take long. If it is not called, nothing is left of them.
func TestVMFirstPages(t *testing.T) {
	dir := t.TempDir()
	rec, err := record.New(filepath.Join(dir, "t.dat"), record.Options{Sync: time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, tr := armed(t, trace.Options{Ready: func(tr *trace.Trace) error { return tr.BeginRecording(rec) }})
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

package tracefs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sessionOf returns a session of n events in a folder that looks like a tracefs, and what it
// has written to it by now.
func sessionOf(t *testing.T, n int) (s *Session, written func() []string) {
	t.Helper()
	dir := t.TempDir()
	group := filepath.Join(dir, "instances/tsnoop_1/events/tsnoop_1")
	files := []string{filepath.Join(dir, KprobeEvents), filepath.Join(dir, "instances/tsnoop_1/tracing_on"), filepath.Join(group, "enable")}
	for i := range n {
		files = append(files, filepath.Join(group, fmt.Sprintf("e%d/enable", i)))
	}
	for _, file := range files {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fsys, err := At(dir)
	if err != nil {
		t.Fatal(err)
	}
	var log []string
	s = fsys.newSession("tsnoop_1", func(format string, args ...any) {
		log = append(log, strings.ReplaceAll(fmt.Sprintf(format, args...), "instances/tsnoop_1/", ""))
	})
	for i := range n {
		s.pushRemove(KprobeEvents, fmt.Sprintf("e%d", i))
	}
	return s, func() []string {
		defer func() { log = nil }()
		return slices.Clone(log)
	}
}

// TestEnableWrites: few events are enabled with one write, and many with one for each; all are
// disabled with one.
func TestEnableWrites(t *testing.T) {
	off := []string{"echo 0 > tracing_on", "echo 0 > events/tsnoop_1/enable"}
	for _, n := range []int{1, mostAtOnce, mostAtOnce + 1, 100} {
		s, written := sessionOf(t, n)
		want := []string{"echo 0 > tracing_on"}
		if n <= mostAtOnce {
			want = append(want, "echo 1 > events/tsnoop_1/enable")
		}
		for i := range n {
			if n > mostAtOnce {
				want = append(want, fmt.Sprintf("echo 1 > events/tsnoop_1/e%d/enable", i))
			}
		}
		want = append(want, "echo 1 > tracing_on")
		if err := s.Enable(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, written()); diff != "" {
			t.Errorf("%d events: (-want +got)\n%s", n, diff)
		}
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(off, written()); diff != "" {
			t.Errorf("%d events are disabled: (-want +got)\n%s", n, diff)
		}
	}
}

// TestEnableInterrupted: the event that is being enabled is the last, all are disabled, and
// recording does not begin.
func TestEnableInterrupted(t *testing.T) {
	s, written := sessionOf(t, 100)
	ctx, cancel := context.WithCancel(t.Context())
	var steps []string
	s.progress = func(doing string, left int) {
		if steps = append(steps, fmt.Sprint(doing, " ", left)); len(steps) == 3 {
			cancel()
		}
	}
	if err := s.Enable(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if diff := cmp.Diff([]string{"enabling 100", "enabling 99", "enabling 98", "disabling 100"}, steps); diff != "" {
		t.Errorf("progress (-want +got)\n%s", diff)
	}
	want := []string{"echo 0 > tracing_on"}
	for i := range 3 {
		want = append(want, fmt.Sprintf("echo 1 > events/tsnoop_1/e%d/enable", i))
	}
	want = append(want, "echo 0 > tracing_on", "echo 0 > events/tsnoop_1/enable")
	if diff := cmp.Diff(want, written()); diff != "" {
		t.Errorf("writes (-want +got)\n%s", diff)
	}
	if s.enabled || !s.stopped {
		t.Errorf("enabled %v, stopped %v", s.enabled, s.stopped)
	}
}

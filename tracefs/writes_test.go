package tracefs

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHear: the session's own writes are distinguished from those of others, however long ago
// they were.
func TestHear(t *testing.T) {
	dir := t.TempDir()
	root, err := openRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	s := &Session{fs: &FS{dir: dir, root: root}, dir: "instances/tsnoop_1", log: func(string, ...any) {}}
	if err := os.MkdirAll(filepath.Join(dir, s.dir, "per_cpu"), 0o700); err != nil {
		t.Fatal(err)
	}
	others := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, s.path(file)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	others("tracing_on", "0")
	others("set_event", "")
	w, err := s.Watch()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	own := func(file, text string) {
		t.Helper()
		if err := s.set(s.path(file), text); err != nil {
			t.Fatal(err)
		}
	}
	heard := func(name string, want ...Touch) {
		t.Helper()
		got := map[Touch]bool{}
		for _, touch := range s.CollectTouches(w, nil) {
			got[touch] = true
		}
		for _, touch := range want {
			if !got[touch] {
				t.Errorf("%s: %+v was not heard of, %+v were", name, touch, got)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	heard("nothing")
	own("tracing_on", "1")
	others("set_event", "x")
	heard("each its own", Touch{File: "tracing_on", Own: true}, Touch{File: "set_event"})
	others("tracing_on", "0")
	heard("at once after that", Touch{File: "tracing_on"})
	end := s.writes.begin(s.path("tracing_on"))
	others("tracing_on", "1")
	heard("while it is being written to", Touch{File: "tracing_on", Own: true})
	end()
	heard("after that")
	others("tracing_on", "0")
	heard("and later", Touch{File: "tracing_on"})
}

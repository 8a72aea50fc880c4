package tracefs

import (
	"maps"
	"sync"
)

// writes distinguishes the session's own writes from those of others. It relies on what the
// kernel does and not on time: inotify reports a write before the write(2) returns.
type writes struct {
	mu       sync.Mutex
	underway map[string]int  // by file, relative to the mount
	ended    map[string]bool // files whose writes the watch may not have seen yet
}

// begin notes that a write to file begins. The caller calls end after it.
func (w *writes) begin(file string) (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.underway == nil {
		w.underway, w.ended = map[string]int{}, map[string]bool{}
	}
	w.underway[file]++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.underway[file]--; w.underway[file] == 0 {
			delete(w.underway, file)
		}
		w.ended[file] = true
	}
}

// take returns the files of the writes that have ended since the last call. By now
// inotify has reported all of them.
func (w *writes) take() map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	ended := maps.Clone(w.ended)
	clear(w.ended)
	return ended
}

// since reports whether a file has been written to since the last take, or is being
// written.
func (w *writes) since(file string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.underway[file] > 0 || w.ended[file]
}

// CollectTouches adds to seen what the watch has seen by now, and finds out which of it the
// session itself has done.
func (s *Session) CollectTouches(w *Watch, seen []Touch) []Touch {
	ended := s.writes.take()
	seen = append(seen, w.Waiting()...)
	for i := range seen {
		t := &seen[i]
		file := s.path(t.File)
		t.Own = !t.Opened && (ended[file] || s.writes.since(file))
	}
	return seen
}

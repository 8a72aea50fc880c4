package tracefs

import (
	"maps"
	"sync"
)

// The writes of a session are told from those of others by what the kernel does, not by
// time: a write is heard of before it returns.
type writes struct {
	mu       sync.Mutex
	underway map[string]int  // by file, relative to the mount
	ended    map[string]bool // which may not have been heard of yet
}

// begin says that the session begins to write to a file.
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

// take returns the files of the writes that have ended, all of which are waiting to be
// heard of now, if they were not yet.
func (w *writes) take() map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	ended := maps.Clone(w.ended)
	clear(w.ended)
	return ended
}

// since tells whether a file has been written to since then, or is being.
func (w *writes) since(file string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.underway[file] > 0 || w.ended[file]
}

// Hear adds what else a watch has seen by now to what it has, and finds out what of that
// was the session itself.
func (s *Session) Hear(w *Watch, seen []Touch) []Touch {
	ended := s.writes.take()
	seen = append(seen, w.Waiting()...)
	for i := range seen {
		t := &seen[i]
		file := s.path(t.File)
		t.Own = !t.Opened && (ended[file] || s.writes.since(file))
	}
	return seen
}

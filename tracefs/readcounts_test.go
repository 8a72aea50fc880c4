package tracefs

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestBalance: pages that others have read are distinguished from those just being read,
// also after the kernel's counters were reset.
func TestBalance(t *testing.T) {
	dir := t.TempDir()
	root, err := openRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	s := &Session{fs: &FS{dir: dir, root: root}, dir: "instances/tsnoop_1"}
	file := filepath.Join(dir, s.dir, "per_cpu/cpu0/stats")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	kernel := func(entries, read int) {
		t.Helper()
		if err := os.WriteFile(file, fmt.Appendf(nil, "entries: %d\nread events: %d\n", entries, read), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := func(name string, want Balance) {
		t.Helper()
		if got, err := s.Balance(); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
	still := func(seen, unread, stolen uint64) Balance {
		return Balance{Seen: seen, Unread: unread, Stolen: stolen, Still: true, Sure: true}
	}
	taken := s.ReadCount(0)
	read := func(n uint64) { taken.Begin(); taken.End(n) }

	kernel(4, 0)
	want("nothing is read", still(4, 4, 0))
	read(3)
	kernel(1, 3)
	want("three are read here", still(4, 1, 0))
	kernel(0, 4)
	want("one by another", still(3, 0, 1))

	taken.Begin() // of two that come, while the buffer is emptied
	kernel(0, 2)
	s.Recount(true)
	want("a read is under way", Balance{Seen: 3})
	taken.End(2)
	want("it has ended", still(5, 0, 1))
	read(1)
	kernel(0, 5)
	want("two more are read by another", still(6, 0, 3))

	s.Recount(true)
	read(4)
	kernel(0, 4)
	want("emptied, and read at once", still(10, 0, 3))
	kernel(0, 9)
	want("a snapshot has put back an older buffer", still(10, 0, 8))
	s.Recount(false)
	want("which is heard of", still(10, 0, 3))
	read(1)
	kernel(0, 1)
	b := still(11, 0, 3)
	b.Emptied = true
	want("emptied without a word", b)
}

package tracefs

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestHasten: a Next that is hastened ends by then, once, and one that ends before, because
// of a file, leaves it to the one that follows.
func TestHasten(t *testing.T) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	w := &Watch{f: os.NewFile(uintptr(fd), "inotify"), opens: map[int32]string{}, dirs: map[int32]string{}, buf: make([]byte, 4096)}
	defer w.f.Close()
	dir := t.TempDir()
	w.add(w.dirs, dir, "dir", changing)

	later := time.Now().Add(time.Hour)
	w.Hasten(later)
	if err := os.WriteFile(dir+"/x", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if seen, err := w.Next(later.Add(time.Hour)); len(seen) == 0 || err != nil {
		t.Fatalf("%v, %v", seen, err)
	}
	if !w.soon.Equal(later) {
		t.Errorf("a file that has changed leaves %v of %v", w.soon, later)
	}
	w.Hasten(time.Now())
	if seen, err := w.Next(later); len(seen) != 0 || err != nil {
		t.Errorf("%v, %v", seen, err)
	}
	if !w.soon.IsZero() {
		t.Errorf("%v is left", w.soon)
	}
}

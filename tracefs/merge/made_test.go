package merge_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/testdata/recordings"
	"github.com/tsnoop/tsnoop/tracefs/merge"
	"github.com/tsnoop/tsnoop/tracefs/replay"
)

// noon is when the hosts of the tests begin to record, by their clocks.
var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// write writes a recording into a folder.
func write(t testing.TB, dir, name string, m recordings.Made) string {
	t.Helper()
	name = filepath.Join(dir, name)
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := m.Write(f); err != nil {
		t.Fatal(err)
	}
	return name
}

// open opens recordings, all with the same options.
func open(t testing.TB, o replay.Options, names ...string) (all []*merge.Recording) {
	t.Helper()
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		o.Name = name
		r, err := replay.Open(f, info.Size(), o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, &merge.Recording{File: r, Name: name, Size: info.Size()})
	}
	return all
}

// shared are options for recordings that are read at once.
func shared() replay.Options { return replay.Options{Shared: replay.NewShared(768 << 10)} }

// every returns when n pages begin of which each begins so long after the one before.
func every(step time.Duration, first time.Duration, n int) (at []time.Duration) {
	for i := range n {
		at = append(at, first+time.Duration(i)*step)
	}
	return at
}

package specs

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// TestFileWatch: each change of a file is reported within a second, once it is whole; and
// what is beside it does not matter.
func TestFileWatch(t *testing.T) {
	t.Parallel()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dir, links := t.TempDir(), t.TempDir()
	file, linked := filepath.Join(dir, "a"), filepath.Join(links, "b")
	must(os.MkdirAll(filepath.Join(links, "1"), 0o755))
	must(os.MkdirAll(filepath.Join(links, "2"), 0o755))
	for _, name := range []string{file, filepath.Join(links, "1", "b"), filepath.Join(links, "2", "b")} {
		must(os.WriteFile(name, []byte("f"), 0o644))
	}
	must(os.Symlink("1", filepath.Join(links, "now")))
	must(os.Symlink("now/b", linked))
	w, err := newFileWatch()
	must(err)
	must(w.add([]string{file, linked, filepath.Join(dir, "later")}))
	ctx, cancel := context.WithCancel(context.Background())
	whole := make(chan bool, 10)
	over := make(chan bool)
	go func() {
		w.run(ctx, func(last bool) bool {
			text, err := os.ReadFile(file)
			if !last && (err != nil || len(text) == 0) {
				return false
			}
			whole <- true
			return true
		})
		close(over)
	}()
	defer func() {
		cancel()
		<-over
		w.close()
	}()
	<-whole // that of the beginning
	for _, edit := range []struct {
		name string
		do   func()
	}{
		{"in place", func() {
			f, err := os.OpenFile(file, os.O_WRONLY, 0)
			must(err)
			f.WriteString("g")
			must(f.Close())
		}},
		{"truncated, then written", func() {
			must(os.Truncate(file, 0))
			time.Sleep(settleMost / 2)
			must(os.WriteFile(file, []byte("h"), 0o644))
		}},
		{"renamed", func() {
			must(os.WriteFile(file+".new", []byte("i"), 0o644))
			must(os.Rename(file+".new", file))
		}},
		{"deleted and made again", func() {
			must(os.Remove(file))
			time.Sleep(settleMost / 2)
			must(os.WriteFile(file, []byte("j"), 0o644))
		}},
		{"one that was not there", func() { must(os.WriteFile(filepath.Join(dir, "later"), nil, 0o644)) }},
		{"through links", func() { must(os.WriteFile(filepath.Join(links, "1", "b"), []byte("k"), 0o644)) }},
		{"a link on the way", func() {
			must(os.Symlink("2", filepath.Join(links, "next")))
			must(os.Rename(filepath.Join(links, "next"), filepath.Join(links, "now")))
		}},
		{"its directory", func() {
			must(os.Rename(dir, dir+".old"))
			time.Sleep(settleMost)
			must(os.Mkdir(dir, 0o755))
			must(os.WriteFile(file, []byte("l"), 0o644))
		}},
	} {
		start := time.Now()
		edit.do()
		select {
		case <-whole:
		case <-time.After(time.Minute):
			t.Fatalf("%s: not reported", edit.name)
		}
		t.Logf("%s: %v", edit.name, time.Since(start))
		for quiet := false; !quiet; {
			select {
			case <-whole: // once more, for it came in pieces
			case <-time.After(settleFor + halfFor):
				quiet = true
			}
		}
	}
	for _, e := range []fsnotify.Event{{Name: filepath.Join(dir, "other"), Op: fsnotify.Create}, {Name: file, Op: fsnotify.Chmod}} {
		if w.concerns(e) {
			t.Errorf("%v: that is another file, or changes nothing", e)
		}
	}
	os.RemoveAll(dir + ".old")
}

// TestSettling: what was put in the place of a file is whole; what is empty, is being
// written to or has gone is not.
func TestSettling(t *testing.T) {
	dir := t.TempDir()
	whole, empty := filepath.Join(dir, "whole"), filepath.Join(dir, "empty")
	for name, text := range map[string]string{whole: "f", empty: ""} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		fsnotify.Event
		want time.Duration
	}{
		{fsnotify.Event{Name: whole, Op: fsnotify.Create}, renamedFor},
		{fsnotify.Event{Name: whole, Op: fsnotify.Write}, settleFor},
		{fsnotify.Event{Name: whole, Op: fsnotify.Rename}, settleFor},
		{fsnotify.Event{Name: empty, Op: fsnotify.Create}, settleFor},
		{fsnotify.Event{Name: dir, Op: fsnotify.Create}, settleFor},
		{fsnotify.Event{Name: filepath.Join(dir, "gone"), Op: fsnotify.Create}, settleFor},
	} {
		if got := settling(tt.Event); got != tt.want {
			t.Errorf("after %v: %v, want %v", tt.Event, got, tt.want)
		}
	}
}

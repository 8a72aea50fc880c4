package trace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// How long files are left alone after a change, for programs write in pieces; how long
// after one was put in the place of another, for that is whole; how long at most while
// changes go on; and how long what cannot be read may be half of something.
const (
	settleFor  = 100 * time.Millisecond
	renamedFor = 10 * time.Millisecond
	settleMost = 400 * time.Millisecond
	halfFor    = 300 * time.Millisecond
)

// A FileWatch tells when one of some files may be another one. It watches their
// directories, for many programs write another file and give it the name of the old
// one, and those of what links lead to.
type FileWatch struct {
	w     *fsnotify.Watcher
	names map[string]bool // of files, absolute
	dirs  map[string]bool // of links: whatever changes in them matters
	lost  []string        // directories that are not there
}

// NewFileWatch makes a FileWatch of no files. Close it in the end.
func NewFileWatch() (*FileWatch, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &FileWatch{w: w, names: map[string]bool{}, dirs: map[string]bool{}}, nil
}

// Add watches files, which need not be there.
func (f *FileWatch) Add(files []string) error {
	for _, name := range files {
		name, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		f.names[name] = true
		dirs := []string{filepath.Dir(name)}
		if real, err := filepath.EvalSymlinks(name); err == nil && real != name {
			f.names[real] = true
			f.dirs[dirs[0]] = true
			dirs = append(dirs, filepath.Dir(real))
		}
		for _, dir := range dirs {
			if err := f.w.Add(dir); err != nil {
				f.lost = append(f.lost, dir)
			}
		}
	}
	return nil
}

// find watches again what was not there.
func (f *FileWatch) find() (found bool) {
	lost := f.lost
	f.lost = nil
	for _, dir := range lost {
		if f.w.Add(dir) != nil {
			f.lost = append(f.lost, dir)
		} else {
			found = true
		}
	}
	return found
}

// concerns tells whether an event may be about one of the files.
func (f *FileWatch) concerns(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	return f.names[e.Name] || f.dirs[filepath.Dir(e.Name)] || f.isDir(e)
}

// isDir tells that one of the directories itself has gone. It may come again.
func (f *FileWatch) isDir(e fsnotify.Event) bool {
	if !e.Has(fsnotify.Remove) && !e.Has(fsnotify.Rename) {
		return false
	}
	for name := range f.names {
		if dir := filepath.Dir(name); dir == e.Name || strings.HasPrefix(dir, e.Name+"/") {
			f.w.Remove(dir) // if it was renamed
			f.lost = append(f.lost, dir)
			return true
		}
	}
	return false
}

// settling is how long to leave a file alone after an event. A file that is there with
// something in it was given its name when it was whole, or is written to in a moment,
// which is another event.
func settling(e fsnotify.Event) time.Duration {
	if e.Has(fsnotify.Create) {
		if info, err := os.Stat(e.Name); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			return renamedFor
		}
	}
	return settleFor
}

// Run calls changed when the files may have changed, until ctx is done. If that returns
// false, what there is may be half of something: it is called once more some time
// later, with last set.
func (f *FileWatch) Run(ctx context.Context, changed func(last bool) bool) {
	var since time.Time // of the first change that changed was not called for
	timer := time.NewTimer(0)
	last := false
	find := time.NewTicker(settleMost)
	defer find.Stop()
	note := func(settle time.Duration) {
		now := time.Now()
		if since.IsZero() {
			since = now
		}
		last = false
		timer.Reset(min(settle, max(0, settleMost-now.Sub(since))))
	}
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-f.w.Events:
			if !ok {
				return
			}
			if f.concerns(e) {
				note(settling(e))
			}
		case _, ok := <-f.w.Errors: // events that were dropped, most likely
			if !ok {
				return
			}
			note(settleFor)
		case <-find.C:
			if len(f.lost) > 0 && f.find() {
				note(settleFor)
			}
		case <-timer.C:
			since = time.Time{}
			if ok := changed(last); !ok && !last {
				last = true
				timer.Reset(halfFor)
			}
		}
	}
}

// Lost are the directories of the files that cannot be watched: they are not there, or
// the machine allows no more.
func (f *FileWatch) Lost() []string { return f.lost }

// Close ends the watching.
func (f *FileWatch) Close() error { return f.w.Close() }

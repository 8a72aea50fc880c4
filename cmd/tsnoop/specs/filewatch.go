package specs

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Programs write files in pieces, so a file is left alone for settleFor after a change, or for
// renamedFor after it was replaced as a whole, at most for settleMost while changes go on. A
// file that cannot be read may be half written: it is tried again after halfFor.
const (
	settleFor  = 100 * time.Millisecond
	renamedFor = 10 * time.Millisecond
	settleMost = 400 * time.Millisecond
	halfFor    = 300 * time.Millisecond
)

// A fileWatch reports when one of some files may have changed. It watches their
// directories, since many programs write a new file and rename it to the old name. It
// also watches the directories that symbolic links lead to.
type fileWatch struct {
	w     *fsnotify.Watcher
	names map[string]bool // absolute paths of the files
	dirs  map[string]bool // directories of links: any change in them matters
	lost  []string        // directories that cannot be watched: they do not exist, or the limit of watches is reached
}

// newFileWatch returns a fileWatch of no files. The caller must close it.
func newFileWatch() (*fileWatch, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &fileWatch{w: w, names: map[string]bool{}, dirs: map[string]bool{}}, nil
}

// add watches files, which need not exist.
func (f *fileWatch) add(files []string) error {
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

// find tries again to watch the directories that did not exist.
func (f *fileWatch) find() (found bool) {
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

// concerns reports whether an event may be about one of the files.
func (f *fileWatch) concerns(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	return f.names[e.Name] || f.dirs[filepath.Dir(e.Name)] || f.isDir(e)
}

// isDir reports whether one of the watched directories itself was removed or renamed.
// It may come back.
func (f *fileWatch) isDir(e fsnotify.Event) bool {
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

// settling returns how long to leave a file alone after an event. A new file that is
// not empty was renamed when it was complete. Otherwise it is about to be written,
// which is another event.
func settling(e fsnotify.Event) time.Duration {
	if e.Has(fsnotify.Create) {
		if info, err := os.Stat(e.Name); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			return renamedFor
		}
	}
	return settleFor
}

// run calls changed when the files may have changed, until ctx is done. If changed
// returns false, a file may be half written: Run calls it once more a little later,
// with last set.
func (f *fileWatch) run(ctx context.Context, changed func(last bool) bool) {
	var since time.Time // first change that changed has not been called for
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
		case _, ok := <-f.w.Errors: // most likely, events were dropped
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

// close stops watching.
func (f *fileWatch) close() error { return f.w.Close() }

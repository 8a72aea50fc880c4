package trace

import (
	"sync"

	"github.com/fsnotify/fsnotify"
)

// watchSwitches warns when another program switches the trace off, for then silence
// does not mean that nothing is called.
func (t *Trace) watchSwitches() (stop func()) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		t.detail("nobody will say if another program stops this trace: %v", err)
		return func() {}
	}
	for _, file := range t.session.Switches() {
		if err := w.Add(file); err != nil {
			t.detail("%s is not watched: %v", file, err)
		}
	}
	var done sync.WaitGroup
	done.Go(func() { t.tellSwitchedOff(w) })
	return func() {
		w.Close()
		done.Wait()
	}
}

func (t *Trace) tellSwitchedOff(w *fsnotify.Watcher) {
	was := ""
	for {
		off := t.session.SwitchedOff()
		if off != was && off != "" {
			t.warn("another program has switched this trace off; to go on: echo 1 > %s", off)
		}
		was = off
		select {
		case _, ok := <-w.Events:
			if !ok {
				return
			}
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			t.detail("watching tracefs: %v", err)
		}
	}
}

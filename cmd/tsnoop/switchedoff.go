package main

import (
	"sync"

	"github.com/fsnotify/fsnotify"
	"github.com/tsnoop/tsnoop/tracefs"
)

// watchSwitches says so when another program switches the trace off, for then silence
// does not mean that nothing is called.
func (u *ui) watchSwitches(s *tracefs.Session) (stop func()) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		u.detail("nobody will say if another program stops this trace: %v", err)
		return func() {}
	}
	for _, file := range s.Switches() {
		if err := w.Add(file); err != nil {
			u.detail("%s is not watched: %v", file, err)
		}
	}
	var done sync.WaitGroup
	done.Go(func() { u.tellSwitchedOff(s, w) })
	return func() {
		w.Close()
		done.Wait()
	}
}

func (u *ui) tellSwitchedOff(s *tracefs.Session, w *fsnotify.Watcher) {
	was := ""
	for {
		off := s.SwitchedOff()
		if off != was && off != "" {
			u.warn("another program has switched this trace off; to go on: echo 1 > %s", off)
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
			u.detail("watching tracefs: %v", err)
		}
	}
}

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// chooseThreads says whose calls are traced: those of the processes that
// --pid lists, with --follow of their children, too.
func (t *liveTrace) chooseThreads(fs *tracefs.FS, o *options, so *tracefs.Options) (err error) {
	if len(o.pids) == 0 {
		return nil
	}
	if so.Pids, err = threads(o.pids, o.follow); err != nil {
		return err
	}
	so.Follow = o.follow
	so.Again = func() ([]int, error) {
		tids, err := family(o.pids, o.follow)
		if t.kin != nil {
			t.kin.Threads = append(t.kin.Threads, tids...)
		}
		return tids, err
	}
	if o.follow {
		return nil
	}
	if o.reader == "text" || !fs.HasNewTasks() {
		t.ui.detail("threads that are started from now on are not traced")
		return nil
	}
	so.NewTasks = true
	t.kin = &kin{Pids: o.pids, Threads: so.Pids, ask: living}
	return nil
}

// threads are the threads of the processes, with follow also of their
// children, of those's children and so on. A process of the list that is gone
// is an error.
func threads(pids []int, follow bool) ([]int, error) {
	for _, pid := range pids {
		if _, err := proc.Threads(pid); errors.Is(err, os.ErrNotExist) {
			return nil, &tracefs.MachineError{Msg: fmt.Sprintf("there is no process %d", pid)}
		}
	}
	return family(pids, follow)
}

// family is threads as they are now; what has gone is not there.
func family(pids []int, follow bool) ([]int, error) {
	var children map[int][]int
	if follow {
		var err error
		if children, err = proc.Children(); err != nil {
			return nil, err
		}
	}
	var tids []int
	seen := map[int]bool{}
	for pids = slices.Clone(pids); len(pids) > 0; pids = pids[1:] {
		if seen[pids[0]] {
			continue
		}
		seen[pids[0]] = true
		ids, err := proc.Threads(pids[0])
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		tids = append(tids, ids...)
		pids = append(pids, children[pids[0]]...)
	}
	slices.Sort(tids)
	return slices.Compact(tids), nil
}

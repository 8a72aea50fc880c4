package tracefs

import (
	"context"
	"path/filepath"
	"time"
)

// AwaitLock waits until no other process holds the lock of sessions, or ctx is done,
// and returns ctx's error then. A process that was stopped in the middle of a change (Ctrl-Z)
// keeps the lock, so the wait may be long: then AwaitLock calls waiting with the file's path,
// once.
func (fs *FS) AwaitLock(ctx context.Context, waiting func(file string)) error {
	free := make(chan error, 1)
	go func() {
		unlock, err := fs.lockProbes() // flock(2) restarts after a signal
		if err == nil {
			unlock()
		}
		free <- err
	}()
	long := time.NewTimer(2 * time.Second)
	defer long.Stop()
	for {
		select {
		case err := <-free:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-long.C:
			waiting(filepath.Join(fs.dir, fs.lock))
		}
	}
}

package record

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/tracefs/read"
	"golang.org/x/sys/unix"
)

// A power cut takes what the kernel has not written to the disk yet: up to 30 seconds of a
// recording. So pages are written there as soon as the first event in them is a quarter of
// Options.Sync old, or when there is half of syncBytes of them. On a slow disk the next pages
// are that old when the last ones are on it, so one write follows the other, and no older
// event is lost as long as two of them fit into Options.Sync. If they do not, or if pages are
// taken too late because the host is busy or the disk holds up the recorder, there is a
// warning.

const (
	// flushTime is the longest time that a page stays in this process's memory.
	flushTime = 200 * time.Millisecond
	// syncBytes is how many bytes a power cut may take at most.
	syncBytes = 64 << 20
)

// unsynced says what is not known to be on the disk.
type unsynced struct {
	limit   time.Duration // how old an event may be that is not there; 0 for any age
	taken   batch
	syncing batch       // being written to the disk
	named   bool        // files were created
	next    *time.Timer // when to write what was taken to the disk
	failed  error       // why pages could not be written to the disk
	due     *time.Timer // for the first event of both batches
	late    func()      // reports that too much is not on the disk
}

// A batch is some pages.
type batch struct {
	bytes int
	first time.Time // when the first event in them happened
}

// newUnsynced calls late once if more is not on the disk than limit and syncBytes allow.
// It does so in a goroutine of its own, since the disk may hold up the others.
func newUnsynced(limit time.Duration, late func()) unsynced {
	u := unsynced{limit: limit, next: time.NewTimer(time.Hour), late: sync.OnceFunc(late)}
	u.due = time.AfterFunc(time.Hour, u.late)
	u.next.Stop()
	u.due.Stop()
	return u
}

// wrote notes n bytes with events of at most this age.
func (u *unsynced) wrote(n int, age time.Duration) {
	if u.limit <= 0 {
		return
	}
	u.taken.bytes += n
	if then := time.Now().Add(-age); u.taken.first.IsZero() || then.Before(u.taken.first) {
		u.taken.first = then
		u.next.Reset(u.limit/4 - age)
		u.expect()
	}
	if before := u.taken.bytes - n; before < syncBytes/2 && u.taken.bytes >= syncBytes/2 {
		u.next.Reset(0)
	}
	if u.taken.bytes+u.syncing.bytes > syncBytes {
		go u.late()
	}
}

// expect sets when the first event that is not on the disk gets too old.
func (u *unsynced) expect() {
	first := u.syncing.first
	if first.IsZero() || !u.taken.first.IsZero() && u.taken.first.Before(first) {
		first = u.taken.first
	}
	switch left := time.Until(first.Add(u.limit)); {
	case first.IsZero():
		u.due.Stop()
	case left > 0:
		u.due.Reset(left)
	default:
		go u.late()
	}
}

// synced notes that what was being synced is on the disk.
func (u *unsynced) synced() {
	u.expect() // in case that nothing ran in time
	u.syncing = batch{}
	u.expect()
}

// FillTime returns how long pages may fill before they are taken: a small part of the time
// after which they must be on the disk.
func (rec *Recorder) FillTime() time.Duration {
	if rec.options.Sync <= 0 {
		return read.FillTime
	}
	return min(read.FillTime, rec.options.Sync/8)
}

// tick writes pages to their files regularly, so that a kill loses few of them, and to the
// disk. Call stop to end it: then all of them are on the disk.
func (rec *Recorder) tick() (stop func()) {
	over := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		flush := time.NewTicker(flushTime)
		defer flush.Stop()
		if rec.options.Sync <= 0 {
			for {
				select {
				case <-over:
					return
				case <-flush.C:
					rec.flush() // the next page reports an error again
					rec.addOthers()
				}
			}
		}
		for {
			select {
			case <-over:
				rec.sync() // what is done before the file is complete takes long
				return
			case <-flush.C:
				rec.flush()
			case <-rec.next.C:
				rec.sync()
				rec.addOthers()
			}
		}
	})
	return func() {
		close(over)
		done.Wait()
	}
}

// sync writes what was taken by now to the disk. Pages can be taken meanwhile. The next
// page, or saving, reports an error.
func (rec *Recorder) sync() {
	files, named, err := rec.handOver()
	for _, f := range files {
		// All files are written at once, so that the file system need not commit to its
		// journal for each of them. fdatasync does what this cannot do.
		unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
	}
	for _, f := range files {
		err = cmp.Or(err, fdatasync(f))
	}
	if err == nil && named {
		err = rec.dir.Sync()
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.failed = cmp.Or(rec.failed, err); rec.failed == nil {
		rec.synced()
	}
}

// handOver flushes the files and returns those that are to be synced, and whether some
// are new.
func (rec *Recorder) handOver() (files []*os.File, named bool, err error) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	err = rec.addNames()
	for _, c := range rec.files() {
		if c.dirty {
			err = cmp.Or(err, c.w.Flush())
			files, c.dirty = append(files, c.file), false
		}
	}
	named, rec.named = rec.named, false
	rec.syncing, rec.taken = rec.taken, batch{}
	rec.next.Stop() // until more is taken
	return files, named, err
}

func fdatasync(f *os.File) error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		switch {
		case errors.Is(err, unix.EINTR):
		case err == nil || errors.Is(err, unix.EINVAL): // a file that is on no disk
			return nil
		default:
			return fmt.Errorf("sync %s: %w", f.Name(), err)
		}
	}
}

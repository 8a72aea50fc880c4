package trace

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A power cut takes what the kernel has not written to the disk yet: up to 30 seconds of a
// recording. So the pages are written there twice in RecordOptions.Sync, and after half of
// syncBytes, and then all that are older were written if that takes no longer than the
// other half.

const (
	// flushTime is the longest time that a page stays in this process's memory.
	flushTime = 200 * time.Millisecond
	// syncBytes is how many bytes a power cut may take at most.
	syncBytes = 64 << 20
)

// unsynced says what is not known to be on the disk.
type unsynced struct {
	bytes  int
	oldest time.Time     // when the first of them was taken
	named  bool          // files were created
	much   chan struct{} // there is enough to be written before it is time
	failed error         // why pages could not be written to the disk
	slow   *sync.Once    // that it takes too long is reported
}

func newUnsynced() unsynced { return unsynced{much: make(chan struct{}, 1), slow: new(sync.Once)} }

// wrote notes n further bytes.
func (u *unsynced) wrote(n int) {
	if u.bytes == 0 {
		u.oldest = time.Now()
	}
	if u.bytes += n; u.bytes >= syncBytes/2 {
		select {
		case u.much <- struct{}{}:
		default:
		}
	}
}

// tick writes pages to their files regularly, so that a kill loses few of them, and to the
// disk. Call stop to end it.
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
				}
			}
		}
		disk := time.NewTicker(max(rec.options.Sync/2, time.Millisecond))
		defer disk.Stop()
		for {
			select {
			case <-over:
				return
			case <-flush.C:
				rec.flush()
			case <-disk.C:
				rec.sync()
			case <-rec.much:
				rec.sync()
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
	files, named, oldest, err := rec.handOver()
	if len(files) > 0 { // say so in time: a disk that hangs never ends it
		late := time.AfterFunc(time.Until(oldest.Add(rec.options.Sync)), rec.late)
		defer late.Stop()
	}
	for _, f := range files {
		err = cmp.Or(err, fdatasync(f))
	}
	if err == nil && named {
		err = rec.dir.Sync()
	}
	rec.mu.Lock()
	rec.failed = cmp.Or(rec.failed, err)
	much := rec.unsynced.bytes > syncBytes
	rec.mu.Unlock()
	if much {
		rec.late()
	}
}

// late warns once that the disk is too slow.
func (rec *Recorder) late() {
	rec.slow.Do(func() {
		rec.warner.Warnf("the disk does not keep up: a power cut may lose more than the last %v", rec.options.Sync)
	})
}

// handOver flushes the files and returns those that are to be synced, whether some are
// new, and when the first page was taken that is in them.
func (rec *Recorder) handOver() (files []*os.File, named bool, oldest time.Time, err error) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for _, c := range rec.files() {
		if c.dirty {
			err = cmp.Or(err, c.w.Flush())
			files, c.dirty = append(files, c.file), false
		}
	}
	named, oldest = rec.named, rec.oldest
	rec.unsynced.bytes, rec.named = 0, false
	return files, named, oldest, err
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

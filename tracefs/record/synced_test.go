package record

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

// syncedTest returns a recorder with a limit and its warnings.
func syncedTest(t *testing.T, limit time.Duration) (*Recorder, <-chan string) {
	warnings := make(chan string, 10)
	rec, err := New(filepath.Join(t.TempDir(), "t.dat"), Options{Sync: limit}, func(w tracefs.Warning) { warnings <- w.Text })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rec.Close(nil) })
	rec.pageSize, rec.layout = pageSize, ringbuf.Layout{LongSize: 8}
	return rec, warnings
}

// onePage yields a page of the fixture. first is the time of its first event.
func onePage(t *testing.T) (pages iter.Seq2[read.Page, error], first uint64) {
	_, all := readFixture(t)
	var p ringbuf.Page
	if err := p.Reset(ringbuf.Layout{LongSize: 8}, all[:pageSize]); err != nil || !p.Next() {
		t.Fatal(err)
	}
	return func(yield func(read.Page, error) bool) { yield(read.Page{CPU: 3, Data: all[:pageSize]}, nil) }, p.Stamp
}

// warned waits for the warning that a power cut may take too much.
func warned(t *testing.T, warnings <-chan string, limit string) {
	t.Helper()
	select {
	case w := <-warnings:
		if !strings.Contains(w, "a power cut may lose more than the last "+limit) {
			t.Errorf("%q", w)
		}
	case <-time.After(20 * time.Second):
		t.Error("no warning")
	}
}

// Pages are on the disk when the last one has been taken. Making the file of them takes long.
func TestSyncedAtEnd(t *testing.T) {
	rec, warnings := syncedTest(t, time.Hour)
	pages, first := onePage(t)
	if err := rec.Take(pages, func() uint64 { return first }, -1, func() {}); err != nil {
		t.Fatal(err)
	}
	for _, c := range rec.files() {
		if c.dirty {
			t.Errorf("%s is not known to be on the disk", c.file.Name())
		}
	}
	if len(rec.files()) != 2 || rec.due.Stop() {
		t.Errorf("%d files, and something is still waited for", len(rec.files()))
	}
	if len(warnings) > 0 {
		t.Error(<-warnings)
	}
}

// With --sync 0, nothing is written to the disk before the file is made.
func TestSyncedNever(t *testing.T) {
	rec, warnings := syncedTest(t, 0)
	pages, first := onePage(t)
	if err := rec.Take(pages, func() uint64 { return first + uint64(time.Hour) }, -1, func() {}); err != nil {
		t.Fatal(err)
	}
	for _, c := range rec.files() {
		if !c.dirty {
			t.Errorf("%s was written to the disk", c.file.Name())
		}
	}
	if len(rec.files()) != 2 || len(warnings) > 0 {
		t.Errorf("%d files, %d warnings", len(rec.files()), len(warnings))
	}
}

// The age of an event counts, also the time before its page was taken.
func TestLateTaken(t *testing.T) {
	rec, warnings := syncedTest(t, time.Hour)
	pages, first := onePage(t)
	if err := rec.Take(pages, func() uint64 { return first + uint64(time.Hour) }, -1, func() {}); err != nil {
		t.Fatal(err)
	}
	warned(t, warnings, "1h0m0s")
}

// Events of new tasks, which are recorded before events are enabled, are not late.
func TestLateNewTasks(t *testing.T) {
	rec, _ := syncedTest(t, time.Hour)
	_, all := readFixture(t)
	var page ringbuf.Page
	if err := page.Reset(rec.layout, all[:pageSize]); err != nil || !page.Next() {
		t.Fatal(err)
	}
	births, started := eventID(rec.layout, page.Data), page.Stamp
	page.Reset(rec.layout, all[:pageSize])
	all1, first := rec.count(&page, -1, started+uint64(time.Hour))
	if first != started {
		t.Errorf("the first event is of %d, want %d", first, started)
	}
	page.Reset(rec.layout, all[:pageSize])
	if events, first := rec.count(&page, births, started+uint64(time.Hour)); events >= all1 || first <= started {
		t.Errorf("%d of %d events, the first of %d, and the new task of %d", events, all1, first, started)
	}
}

// Pages are written to the disk as soon as their first event is a quarter of the limit old,
// not at a time of a clock that knows nothing of them.
func TestSyncedSoon(t *testing.T) {
	rec, warnings := syncedTest(t, time.Hour)
	defer rec.tick()()
	pages, _ := onePage(t)
	for p := range pages {
		if err := rec.add(p, 1, 16*time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		rec.mu.Lock()
		synced := rec.taken.bytes+rec.syncing.bytes == 0
		rec.mu.Unlock()
		if synced {
			break
		} else if time.Now().After(until) {
			t.Fatal("it is not known to be on the disk")
		}
	}
	if len(warnings) > 0 {
		t.Error(<-warnings)
	}
}

// A disk that holds up a write keeps the recorder from syncing, and not from warning.
func TestLateHeldUp(t *testing.T) {
	rec, warnings := syncedTest(t, time.Millisecond)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rec.cpus[3] = &cpuFile{file: w, w: bufio.NewWriterSize(w, 1<<20)}
	if rec.sums, err = rec.newCPUFile(rec.sumName(), 64<<10); err != nil {
		t.Fatal(err)
	}
	pages, _ := onePage(t)
	for range 64 { // more than the pipe can hold
		for p := range pages {
			if err := rec.add(p, 1, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	stop := rec.tick()
	warned(t, warnings, "1ms")
	go io.Copy(io.Discard, r)
	stop()
}

// TestLateMuch: pages that are being written count until they are known to be on the
// disk.
func TestLateMuch(t *testing.T) {
	rec, warnings := syncedTest(t, time.Hour)
	rec.wrote(syncBytes*3/4, 0)
	select {
	case <-rec.next.C:
	case <-time.After(20 * time.Second):
		t.Error("there is no reason to sync early")
	}
	if _, _, err := rec.handOver(); err != nil {
		t.Fatal(err)
	}
	rec.wrote(syncBytes/4, 0)
	if len(warnings) > 0 {
		t.Error(<-warnings)
	}
	rec.wrote(1, 0)
	warned(t, warnings, "1h0m0s")
}

// Pages are taken long before they must be on the disk.
func TestFillTime(t *testing.T) {
	for limit, want := range map[time.Duration]time.Duration{0: read.FillTime, time.Second: read.FillTime, 80 * time.Millisecond: 10 * time.Millisecond} {
		if rec, _ := syncedTest(t, limit); rec.FillTime() != want {
			t.Errorf("%v for %v, want %v", rec.FillTime(), limit, want)
		}
	}
}

// TestNoHead: where the head cannot be written nothing is recorded, and nothing is left.
func TestNoHead(t *testing.T) {
	rec, _ := syncedTest(t, 0)
	h, _ := readFixture(t)
	rec.head.Close()
	var failed *FileError
	if err := rec.Begin(h, nil); !errors.As(err, &failed) {
		t.Errorf("Begin: got %v", err)
	}
	rec.Close(nil)
	if left, err := filepath.Glob(rec.name + "*"); err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
}

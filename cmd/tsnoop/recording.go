package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
	"golang.org/x/sys/unix"
)

// A recording collects the pages of each CPU in a file of its own, FILE.cpuN as
// trace-cmd does, and what they need to be understood in FILE.head, which is a
// trace.dat without pages. In the end it makes one file of them, FILE.tmp, and
// gives that the name. Whatever fails, or kills it, the pages stay, and so does an
// older FILE: runRecover makes the file then.
//
// All files are new ones of its own: nothing is truncated, no symbolic link is
// followed. Only the user may read them, for they have addresses of the kernel.
type recording struct {
	name     string
	ui       *ui
	layout   ringbuf.Layout
	pageSize int
	head     *os.File // locked as long as this process lives
	headed   bool     // something is in it

	mu    sync.Mutex // for cpus and the files' buffers
	cpus  map[int]*cpuFile
	saved bool // FILE has it all

	events, bytes, lost atomic.Uint64
}

type cpuFile struct {
	file *os.File
	w    *bufio.Writer
	size int64
}

// A page waits no longer than flushTime in this process's memory.
const flushTime = 200 * time.Millisecond

// newRecording makes sure that the file can be written, before anything is armed.
func newRecording(name string, ui *ui) (*recording, error) {
	if name == "" {
		name = "trace.dat"
	}
	if err := checkOld(name); err != nil {
		return nil, err
	}
	rec := &recording{name: name, ui: ui, cpus: map[int]*cpuFile{}}
	if left := rec.left(); len(left) > 0 {
		return nil, leftError(name, left)
	}
	if _, err := os.Lstat(rec.tmpName()); err == nil {
		return nil, usagef("remove it, or record to another file", "cannot write the recording: %s is in the way", rec.tmpName())
	}
	var err error
	if rec.head, err = createNew(rec.headName()); err != nil {
		return nil, usagef("", "cannot write the recording: %v", err)
	}
	if err := claim(rec.head); err != nil {
		return nil, rec.close(err)
	}
	return rec, nil
}

// checkOld refuses to replace what is no recording, whatever it is.
func checkOld(name string) error {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return usagef("", "cannot write the recording: %v", err)
	case info.Mode()&os.ModeSymlink != 0:
		return usagef("give the name of the file itself", "cannot write the recording: %s is a symbolic link", name)
	case !info.Mode().IsRegular():
		return usagef("", "cannot write the recording: %s is no regular file", name)
	}
	return nil
}

func createNew(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
}

// claim takes a file for as long as this process lives.
func claim(f *os.File) error {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return nil
}

func (rec *recording) headName() string       { return rec.name + ".head" }
func (rec *recording) tmpName() string        { return rec.name + ".tmp" }
func (rec *recording) cpuName(cpu int) string { return rec.name + ".cpu" + strconv.Itoa(cpu) }

// cpuOf is the CPU whose pages are in a file, false if it is no file of pages.
func (rec *recording) cpuOf(file string) (int, bool) {
	digits, ok := strings.CutPrefix(file, rec.name+".cpu")
	cpu, err := strconv.ParseUint(digits, 10, 16)
	return int(cpu), ok && err == nil && rec.cpuName(int(cpu)) == file
}

// left are the files of pages that are there, and the head.
func (rec *recording) left() (files []string) {
	dir, base := filepath.Split(rec.name)
	entries, _ := os.ReadDir(filepath.Clean(dir + "."))
	for _, e := range entries {
		file := dir + e.Name()
		if !strings.HasPrefix(e.Name(), base) {
			continue
		}
		if _, ok := rec.cpuOf(file); ok || file == rec.headName() {
			files = append(files, file)
		}
	}
	return files
}

// leftError says what to do with what another recorder left, or still writes.
func leftError(name string, left []string) error {
	e := &tracefs.MachineError{
		Msg:  fmt.Sprintf("a recorder that was killed has left its pages in %s", strings.Join(left, ", ")),
		Cure: "trace-cmd restore makes a file of them; or remove them, or record to another file",
	}
	if !slices.Contains(left, name+".head") {
		return e
	}
	e.Cure = fmt.Sprintf("tsnoop record --recover %s makes a file of them; or remove them, or record to another file", name)
	f, err := openOwn(name + ".head")
	if err != nil {
		return e
	}
	defer f.Close()
	if errors.Is(claim(f), unix.EWOULDBLOCK) {
		e.Msg, e.Cure = fmt.Sprintf("another tsnoop is recording to %s", name), ""
	}
	return e
}

// openOwn opens a file that a recorder has left.
func openOwn(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, firstError(err, fmt.Errorf("%s is no regular file", name))
	}
	return f, nil
}

// add keeps a page.
func (rec *recording) add(p read.Page) error {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	c := rec.cpus[p.CPU]
	if c == nil {
		f, err := createNew(rec.cpuName(p.CPU))
		if err != nil {
			return err
		}
		c = &cpuFile{file: f, w: bufio.NewWriterSize(f, 1<<20)}
		rec.cpus[p.CPU] = c
	}
	// A kernel that gives less than a page gives what is in it.
	if _, err := c.w.Write(p.Data); err != nil {
		return err
	}
	for pad := rec.pageSize - len(p.Data); pad > 0; pad-- {
		if err := c.w.WriteByte(0); err != nil {
			return err
		}
	}
	c.size += int64(rec.pageSize)
	rec.bytes.Add(uint64(rec.pageSize))
	return nil
}

// flush writes what is in memory to the files of the CPUs. The first error stays
// in each and comes again.
func (rec *recording) flush() (err error) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for _, c := range rec.cpus {
		err = firstError(err, c.w.Flush())
	}
	return err
}

// writeHead writes FILE.head, or puts another in its place when it is whole.
func (rec *recording) writeHead(h *tracedat.Header) error {
	if !rec.headed {
		err := tracedat.Write(rec.head, h, nil)
		rec.headed = err == nil
		return err
	}
	f, err := createNew(rec.tmpName())
	if err != nil {
		return err
	}
	if err = firstError(claim(f), tracedat.Write(f, h, nil)); err == nil {
		err = os.Rename(f.Name(), rec.headName())
	}
	if err != nil {
		f.Close()
		os.Remove(rec.tmpName())
		return err
	}
	rec.head.Close()
	rec.head = f
	return nil
}

// save makes the file.
func (rec *recording) save(h *tracedat.Header) error {
	if err := rec.flush(); err != nil {
		return err
	}
	var cpus []tracedat.CPUSource
	for id, c := range rec.cpus {
		if _, err := c.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		cpus = append(cpus, tracedat.CPUSource{ID: id, Size: c.size, Pages: c.file})
	}
	if err := rec.write(h, cpus); err != nil {
		return err
	}
	rec.saved = true
	return nil
}

// write writes the file and gives it the name when it is whole and on the disk. An
// older one stays as it is until then.
func (rec *recording) write(h *tracedat.Header, cpus []tracedat.CPUSource) error {
	f, err := createNew(rec.tmpName())
	if err != nil {
		return err
	}
	err = tracedat.Write(f, h, cpus)
	if err == nil {
		err = f.Sync()
	}
	err = firstError(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), rec.name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// close ends the recording, which err has made impossible unless it is nil. What
// is saved, or nothing, needs no other files; else they are kept, and the error
// says so.
func (rec *recording) close(err error) error {
	err = firstError(err, rec.flush())
	kept := []string{}
	for id, c := range rec.cpus {
		kept = append(kept, rec.cpuName(id))
		err = firstError(err, c.file.Close())
	}
	err = firstError(err, rec.head.Close())
	if rec.saved || len(kept) == 0 {
		for _, file := range append(kept, rec.headName()) {
			err = firstError(err, os.Remove(file))
		}
		return err
	}
	slices.Sort(kept)
	e := &tracefs.MachineError{Err: err}
	if rec.headed {
		kept = append(kept, rec.headName())
		e.Cure = "when the cause is mended, tsnoop record --recover " + rec.name + " makes a file of them"
	}
	e.Msg = fmt.Sprintf("%v; what was recorded is kept in %s", err, strings.Join(kept, ", "))
	return e
}

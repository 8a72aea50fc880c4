package record

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/outfile"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
	"golang.org/x/sys/unix"
)

// A Recorder collects the raw pages of each CPU in a file of its own, FILE.cpuN as
// trace-cmd does. FILE.sum holds their checksums, FILE.sym the symbols that name addresses
// in them, and FILE.head, a trace.dat without pages, what else is needed to understand them.
// In the end it merges them into FILE.tmp and renames that to FILE.
// Whatever fails or kills it, the pages stay, and so does an older FILE; Recover merges
// them then.
//
// All of them are new files: the Recorder truncates nothing and follows no symbolic
// link. Only the user may read them, since they contain kernel addresses. See outfile.
type Recorder struct {
	name     string
	dir      *outfile.Dir // of all these files
	warner   tracefs.Warner
	options  Options
	layout   ringbuf.Layout
	pageSize int
	header   *tracedat.Header // nil until Begin
	head     *os.File         // locked while this process lives
	headed   bool             // a header has been written to it

	mu    sync.Mutex // guards cpus, the buffers of their files, names, and unsynced
	cpus  map[int]*cpuFile
	sums  *cpuFile // nil until there is a page
	syms  *cpuFile // nil until there is a page, and without names
	names *names   // nil without symbols
	saved bool     // FILE is complete
	vain  bool     // nothing is to be kept
	unsynced

	events, bytes, lost atomic.Uint64
}

// A cpuFile has the pages of a CPU, or the checksums or symbols of all.
type cpuFile struct {
	file  *os.File
	w     *bufio.Writer
	size  int64
	dirty bool // has pages that are not known to be on the disk
}

// A FileError says that a recording cannot be written to its file. Hint says what may
// help, or is empty.
type FileError struct{ Msg, Hint string }

func (e *FileError) Error() string { return "cannot write the recording: " + e.Msg }

// New checks that the file can be written, before anything is armed. Errors are
// *FileError and *LeftError. The caller must close the Recorder.
func New(name string, o Options, warn func(tracefs.Warning)) (*Recorder, error) {
	dir, err := outfile.Open(name)
	if err != nil {
		return nil, fileError(err)
	}
	rec := &Recorder{name: name, dir: dir, options: o, warner: warn, cpus: map[int]*cpuFile{}}
	rec.unsynced = newUnsynced(o.Sync, func() {
		rec.warner.Warnf("events reach the disk too late: a power cut may lose more than the last %v", o.Sync)
	})
	if err := rec.create(); err != nil {
		dir.Close()
		return nil, err
	}
	return rec, nil
}

// create creates the head, unless a file is in the way.
func (rec *Recorder) create() error {
	if err := rec.dir.Check(rec.name); err != nil {
		return fileError(err)
	}
	left, err := rec.left()
	if err != nil {
		return fileError(err)
	}
	if len(left) > 0 {
		return rec.leftError(left)
	}
	if rec.dir.Exists(rec.tmpName()) {
		return fileError(cmp.Or[error](rec.dir.Check(rec.tmpName()),
			&outfile.Refusal{Name: rec.tmpName(), Why: "is in the way", Hint: "remove it, or record to another file"}))
	}
	if rec.head, err = rec.dir.Create(rec.headName()); err != nil {
		return fileError(err)
	}
	if err := claim(rec.head); err != nil {
		rec.head.Close()
		return cmp.Or(rec.dir.Remove(rec.headName()), err)
	}
	return nil
}

// fileError makes an error of a file a *FileError.
func fileError(err error) error {
	var refused *outfile.Refusal
	if errors.As(err, &refused) {
		return &FileError{refused.Error(), refused.Hint}
	}
	return &FileError{Msg: err.Error()}
}

// Name returns the name of the file.
func (rec *Recorder) Name() string { return rec.name }

// Saved reports whether the file is complete.
func (rec *Recorder) Saved() bool { return rec.saved }

// claim locks a file for as long as this process lives.
func claim(f *os.File) error {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return nil
}

func (rec *Recorder) headName() string       { return rec.name + ".head" }
func (rec *Recorder) tmpName() string        { return rec.name + ".tmp" }
func (rec *Recorder) sumName() string        { return rec.name + ".sum" }
func (rec *Recorder) symName() string        { return rec.name + ".sym" }
func (rec *Recorder) cpuName(cpu int) string { return rec.name + ".cpu" + strconv.Itoa(cpu) }

// cpuOf returns the CPU whose pages are in file, and false if it is not a file of
// pages.
func (rec *Recorder) cpuOf(file string) (int, bool) {
	digits, ok := strings.CutPrefix(file, rec.name+".cpu")
	cpu, err := strconv.ParseUint(digits, 10, 16)
	return int(cpu), ok && err == nil && rec.cpuName(int(cpu)) == file
}

func (rec *Recorder) hasPages(file string) bool {
	_, ok := rec.cpuOf(file)
	return ok
}

// A KeptError says that a recording could not be saved, but that its pages are kept.
type KeptError struct {
	Name  string
	Files []string // the files that have the pages

	Recoverable bool  // Recover can make a file of them
	Err         error // why it could not be saved
}

func (e *KeptError) Error() string {
	return fmt.Sprintf("%v; what was recorded is kept in %s", e.Err, strings.Join(e.Files, ", "))
}

func (e *KeptError) Unwrap() error { return e.Err }

// add writes a page to the file of its CPU, and its checksum. The page has so many events,
// the first of this age.
func (rec *Recorder) add(p read.Page, events uint64, age time.Duration) (err error) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.failed != nil {
		return rec.failed
	}
	rec.wrote(rec.pageSize, age) // first: the disk can hold up what follows
	c := rec.cpus[p.CPU]
	if c == nil {
		if err := rec.createOthers(); err != nil {
			return err
		}
		if c, err = rec.newCPUFile(rec.cpuName(p.CPU), 1<<20); err != nil {
			return err
		}
		rec.cpus[p.CPU] = c
		rec.named = true
	}
	// Some kernels return only the used part of a page: pad it.
	page := p.Data
	if pad := rec.pageSize - len(page); pad > 0 {
		page = append(page[:len(page):len(page)], make([]byte, pad)...)
	}
	sum := tracedat.Sum{CPU: p.CPU, Page: int(c.size / int64(rec.pageSize)), Events: uint32(events), CRC: tracedat.CRC(page)}
	if err := rec.sums.write(sum.Append(nil, rec.layout.BigEndian)); err != nil {
		return err
	}
	if err := c.write(page); err != nil {
		return err
	}
	rec.bytes.Add(uint64(rec.pageSize))
	return nil
}

// createOthers creates the files that each page has a part in, unless it has done so.
func (rec *Recorder) createOthers() (err error) {
	if rec.sums == nil {
		rec.sums, err = rec.newCPUFile(rec.sumName(), 64<<10)
	}
	if err == nil && rec.syms == nil && rec.names != nil {
		rec.syms, err = rec.newCPUFile(rec.symName(), 64<<10)
	}
	return err
}

func (rec *Recorder) newCPUFile(name string, buffer int) (*cpuFile, error) {
	f, err := rec.dir.Create(name)
	if err != nil {
		return nil, err
	}
	return &cpuFile{file: f, w: bufio.NewWriterSize(f, buffer)}, nil
}

func (c *cpuFile) write(b []byte) error {
	c.dirty = true
	n, err := c.w.Write(b)
	c.size += int64(n)
	return err
}

// files returns the files of checksums and symbols that there are, and those of pages. In
// this order they are flushed, so that each page has a checksum.
func (rec *Recorder) files() (all []*cpuFile) {
	for _, c := range []*cpuFile{rec.sums, rec.syms} {
		if c != nil {
			all = append(all, c)
		}
	}
	for _, c := range rec.cpus {
		all = append(all, c)
	}
	return all
}

// flush writes what is in memory to the files. Each file's first error is returned again
// by every later flush.
func (rec *Recorder) flush() (err error) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	err = rec.addNames()
	for _, c := range rec.files() {
		err = cmp.Or(err, c.w.Flush())
	}
	return cmp.Or(rec.failed, err)
}

// syncHead sees to it that FILE.head is on the disk.
func (rec *Recorder) syncHead() error {
	if rec.options.Sync <= 0 {
		return nil
	}
	return cmp.Or(rec.head.Sync(), rec.dir.Sync())
}

// save makes the file.
func (rec *Recorder) save(h *tracedat.Header) error {
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
	h.Kallsyms = rec.names.all()
	if rec.sums != nil {
		h.Sums = io.NewSectionReader(rec.sums.file, 0, rec.sums.size)
	}
	if err := rec.write(h, cpus); err != nil {
		return err
	}
	rec.saved = true
	return nil
}

// write writes the file under another name and renames it when it is complete and on
// the disk. An older file stays as it is until then. rec.bytes is then its size.
func (rec *Recorder) write(h *tracedat.Header, cpus []tracedat.CPUSource) error {
	f, err := rec.dir.Create(rec.tmpName())
	if err != nil {
		return err
	}
	h.Kallsyms = usedSymbols(h, cpus)
	err = tracedat.Write(f, h, cpus)
	if size, e := f.Seek(0, io.SeekEnd); e == nil && err == nil {
		rec.bytes.Store(uint64(size))
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = rec.dir.Rename(f, rec.name)
	}
	err = cmp.Or(err, f.Close())
	if err != nil {
		rec.dir.Remove(rec.tmpName())
		return err
	}
	return rec.dir.Sync()
}

// Discard notes that a trace was not recorded after all: Close removes the files.
func (rec *Recorder) Discard() { rec.vain = true }

// Close ends the recording. err is what has made it fail, or nil. If the recording was
// saved, or nothing was recorded, the other files are removed; otherwise they are kept,
// and Close returns a *KeptError.
func (rec *Recorder) Close(err error) error {
	defer rec.dir.Close()
	defer rec.due.Stop()
	defer rec.next.Stop()
	err = cmp.Or(err, rec.flush())
	kept := []string{}
	for _, c := range rec.files() {
		kept = append(kept, c.file.Name())
		err = cmp.Or(err, c.file.Close())
	}
	err = cmp.Or(err, rec.head.Close())
	if rec.saved || rec.vain || len(kept) == 0 {
		return cmp.Or(err, rec.remove(kept))
	}
	slices.Sort(kept)
	if rec.headed {
		kept = append(kept, rec.headName())
	}
	return &KeptError{Name: rec.name, Files: kept, Recoverable: rec.headed, Err: err}
}

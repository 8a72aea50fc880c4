package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/outfile"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
	"golang.org/x/sys/unix"
)

// Recovered says what Recover has made.
type Recovered struct {
	Size    Size     // of the file
	Pages   int      // that were at the end of what was left and are left out: they were not whole
	Missing uint64   // events that were in those, and in others that were not written at all
	Gone    []string // files of pages that had events and are not there
}

// Recover makes the file from what a Recorder of that name has left because it was killed,
// or the machine, or because it could not write the file. With compress, the file has
// version 7 with zstd. Errors are those of New, and others.
//
// Before it copies the pages, Recover calls watch, which may be nil, with a function
// that returns how many of all bytes are copied. Any goroutine may call that function
// until stop, the function that watch returns, has been called.
func Recover(name string, compress bool, watch func(copied func() (n, all uint64)) (stop func())) (r Recovered, err error) {
	dir, err := outfile.Open(name)
	if err != nil {
		return r, fileError(err)
	}
	defer dir.Close()
	rec := &Recorder{name: name, dir: dir}
	err = rec.recover(&r, compress, watch)
	var refused *outfile.Refusal
	if errors.As(err, &refused) {
		err = fileError(err)
	}
	r.Size = Size(rec.bytes.Load())
	return r, err
}

func (rec *Recorder) recover(r *Recovered, compress bool, watch func(func() (n, all uint64)) func()) error {
	if err := rec.dir.Check(rec.name); err != nil {
		return err
	}
	head, err := rec.claimed()
	if err != nil {
		return err
	}
	defer head.Close()
	left, err := rec.left()
	if err != nil {
		return err
	}
	h, err := rec.usable(head, left)
	if err != nil {
		return err
	}
	if compress {
		h.Version, h.Zstd = 7, true
	}
	if slices.Contains(left, rec.symName()) {
		if err := rec.addLeftNames(h); err != nil {
			return err
		}
	}
	cpus, end, err := rec.sources(left, int64(h.PageSize))
	defer end()
	if err != nil {
		return err
	}
	if slices.Contains(left, rec.sumName()) {
		sums, err := rec.dir.Open(rec.sumName())
		if err != nil {
			return err
		}
		defer sums.Close()
		if err := r.leaveOut(h, cpus, sums, rec.cpuName); err != nil {
			return err
		}
	}
	// The recorder may have been killed while it wrote the file.
	if err := rec.dir.Remove(rec.tmpName()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if watch != nil {
		all := rec.bytes.Load()
		defer watch(func() (n, of uint64) { return copied(cpus), all })()
	}
	made, err := rec.made(h, cpus)
	if err == nil && !made {
		err = rec.write(h, cpus)
	}
	if err != nil {
		return err
	}
	return rec.remove(left)
}

// claimed opens the head for this process alone.
func (rec *Recorder) claimed() (*os.File, error) {
	head, err := rec.dir.Open(rec.headName())
	if err != nil {
		return nil, rec.noHead(err)
	}
	if err := claim(head); err != nil {
		head.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, &tracefs.HostError{Msg: fmt.Sprintf("tsnoop is still recording to %s", rec.name), Err: err}
		}
		return nil, err
	}
	return head, nil
}

// usable reads the head, without which nobody understands the files that are left.
func (rec *Recorder) usable(head *os.File, left []string) (*tracedat.Header, error) {
	h, err := readHead(head)
	switch {
	case err == nil:
		return h, nil
	case !slices.ContainsFunc(left, rec.hasPages):
		return nil, &tracefs.HostError{Err: err,
			Msg:  fmt.Sprintf("nothing was recorded to %s before the recorder or the host ended", rec.name),
			Hint: "remove " + rec.headName()}
	}
	return nil, &tracefs.HostError{Err: err,
		Msg:  fmt.Sprintf("%s: %v: without it nobody understands the pages", head.Name(), err),
		Hint: restore}
}

// noHead says why there is nothing to recover.
func (rec *Recorder) noHead(err error) error {
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	e := &tracefs.HostError{Msg: fmt.Sprintf("nothing to recover for %s: %s does not exist", rec.name, rec.headName()), Err: err}
	if rec.dir.Exists(rec.name) {
		e.Msg = fmt.Sprintf("nothing to recover for %s: the file exists, and %s does not", rec.name, rec.headName())
		e.Hint = "run tsnoop replay " + rec.name
	}
	whole := &Recorder{name: strings.TrimSuffix(rec.name, filepath.Ext(rec.name))}
	if left, _ := rec.left(); len(left) > 0 {
		e.Hint = restore
	} else if rec.dir.Exists(whole.headName()) { // rec.name is one of the files that are left
		e.Hint = "run tsnoop record --recover " + whole.name
	}
	return e
}

// restore is what helps without a head.
const restore = "run trace-cmd restore, which might make a file of the pages"

// readHead reads a head that tsnoop has written.
func readHead(f *os.File) (*tracedat.Header, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := tracedat.Open(f, info.Size())
	if err != nil {
		return nil, err
	}
	if file.Damage != nil {
		return nil, file.Damage
	}
	if file.Tsnoop == nil {
		return nil, errors.New("not a header that tsnoop wrote")
	}
	return file.Header()
}

// sources opens the files of pages. It ignores an incomplete page at the end of a file.
func (rec *Recorder) sources(left []string, pageSize int64) (cpus []tracedat.CPUSource, end func(), err error) {
	var files []*os.File
	end = func() {
		for _, f := range files {
			f.Close()
		}
	}
	for _, name := range slices.Sorted(slices.Values(left)) {
		cpu, ok := rec.cpuOf(name)
		if !ok {
			continue
		}
		f, err := rec.dir.Open(name)
		if err != nil {
			return nil, end, err
		}
		files = append(files, f)
		info, err := f.Stat()
		if err != nil {
			return nil, end, err
		}
		size := info.Size() / pageSize * pageSize
		cpus = append(cpus, tracedat.CPUSource{ID: cpu, Size: size, Pages: f})
		rec.bytes.Add(uint64(size))
	}
	return cpus, end, nil
}

// copied returns how many bytes have been read from the files of pages. That is their
// file offset, whether this process reads them or the kernel copies them.
func copied(cpus []tracedat.CPUSource) (n uint64) {
	for _, cpu := range cpus {
		if f, ok := cpu.Pages.(*os.File); ok {
			at, _ := f.Seek(0, io.SeekCurrent)
			n += uint64(max(at, 0))
		}
	}
	return n
}

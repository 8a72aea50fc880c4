package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// made reports whether FILE is already what Recover makes of the head h and the pages of
// cpus: a recorder, or Recover, was killed before it had removed all of them. FILE is then
// on the disk, and rec.bytes its size. An error says that FILE may be of the same trace,
// but is not known to have all pages that are there: neither may be removed.
func (rec *Recorder) made(h *tracedat.Header, cpus []tracedat.CPUSource) (bool, error) {
	f, err := rec.dir.Open(rec.name)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	file, err := tracedat.Open(f, info.Size())
	switch {
	case errors.Is(err, tracedat.ErrNotTrace), errors.Is(err, tracedat.ErrUnsupported), info.Size() < smallest:
		return false, nil // an older file, which a recording replaces
	case err == nil && file.Damage == nil && !sameTrace(file.Tsnoop, h.Tsnoop):
		return false, nil
	case err == nil && file.Damage != nil && !sameTrace(file.Tsnoop, h.Tsnoop):
		err = file.Damage // who knows of which trace it is
	}
	if err != nil {
		return false, rec.unsure(err)
	}
	if err := contains(file, cpus); err != nil {
		return false, rec.unsure(err)
	}
	rec.bytes.Store(uint64(info.Size()))
	return true, cmp.Or(f.Sync(), rec.dir.Sync())
}

// smallest is less than the size of any trace.dat file, in bytes.
const smallest = 16

// unsure returns the error that FILE may not be replaced: it may be of the same trace.
func (rec *Recorder) unsure(err error) error {
	return &tracefs.HostError{Err: err,
		Msg:  fmt.Sprintf("%s exists, and may have events that are not in the files that the recorder has left: %v", rec.name, err),
		Hint: fmt.Sprintf("rename %s, then run tsnoop record --recover %s to make another file of the pages", rec.name, rec.name)}
}

// sameTrace reports whether both are what tsnoop has stored of the same trace.
func sameTrace(a, b []byte) bool {
	var x, y struct {
		Group string
		Start uint64
		Wall  int64
	}
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil &&
		x == y
}

// contains returns an error unless a file is whole and has all pages of cpus.
func contains(file *tracedat.File, cpus []tracedat.CPUSource) error {
	if file.Damage != nil {
		return file.Damage
	}
	for _, cpu := range cpus {
		if err := containsCPU(file, cpu); err != nil {
			return fmt.Errorf("CPU %d: %w", cpu.ID, err)
		}
	}
	return nil
}

func containsCPU(file *tracedat.File, cpu tracedat.CPUSource) error {
	if cpu.Size == 0 {
		return nil
	}
	pages := pagesOf(file, cpu.ID)
	page := make([]byte, file.PageSize)
	for n := int64(0); n < cpu.Size; n += int64(len(page)) {
		if _, err := io.ReadFull(cpu.Pages, page); err != nil {
			return err
		}
		got, err := pages()
		if damaged := (*tracedat.DamagedPage)(nil); errors.As(err, &damaged) {
			err = nil // it is to be the same
		}
		if err == nil && !bytes.Equal(got, page) {
			err = errors.New("it differs")
		}
		if err != nil {
			return fmt.Errorf("page at byte %d: %w", n, err)
		}
	}
	return nil
}

// pagesOf returns a function that returns the next page of a CPU.
func pagesOf(file *tracedat.File, id int) func() ([]byte, error) {
	for i := range file.Buffers {
		for j := range file.Buffers[i].CPUs {
			if c := &file.Buffers[i].CPUs[j]; c.ID == id && c.Size > 0 {
				return c.Pages().Next
			}
		}
	}
	return func() ([]byte, error) { return nil, io.EOF }
}

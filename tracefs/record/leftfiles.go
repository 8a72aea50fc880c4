package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// left returns the files of pages that exist, their checksums and symbols, and the head.
func (rec *Recorder) left() (files []string, err error) {
	dir, _ := filepath.Split(rec.name)
	names, err := rec.dir.Names()
	for _, name := range names {
		file := dir + name
		if _, ok := rec.cpuOf(file); ok || file == rec.headName() || file == rec.sumName() || file == rec.symName() {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return files, err
}

// IsLeft reports whether a recorder to a file of that name has left its pages, or is still
// writing them.
func IsLeft(name string) bool {
	_, err := os.Lstat((&Recorder{name: name}).headName())
	return err == nil
}

// remove removes the head and files of pages. The head goes last: it says what the others
// are, and that they are not needed any more if FILE was made with it.
func (rec *Recorder) remove(files []string) error {
	others := slices.DeleteFunc(slices.Clone(files), func(file string) bool { return file == rec.headName() })
	for _, file := range append(others, rec.headName()) {
		if err := rec.dir.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// A LeftError says that another recorder has left its pages, or is still writing.
type LeftError struct {
	Name  string
	Files []string

	Busy        bool // the other recorder is still writing
	Recoverable bool // Recover can make a file of what is left
}

func (e *LeftError) Error() string {
	if e.Busy {
		return fmt.Sprintf("another tsnoop is recording to %s", e.Name)
	}
	return fmt.Sprintf("a recorder that was killed has left its pages in %s", strings.Join(e.Files, ", "))
}

func (rec *Recorder) leftError(left []string) error {
	for _, file := range left {
		if err := rec.dir.Check(file); err != nil {
			return fileError(err)
		}
	}
	e := &LeftError{Name: rec.name, Files: left, Recoverable: slices.Contains(left, rec.headName())}
	if !e.Recoverable {
		return e
	}
	f, err := rec.dir.Open(rec.headName())
	if err != nil {
		return e
	}
	defer f.Close()
	e.Busy = errors.Is(claim(f), unix.EWOULDBLOCK)
	return e
}

package tracefs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// An FS is a mounted tracefs, or a directory that looks like one. No path leads out of
// it.
type FS struct {
	root *root
	dir  string
	lock string // file whose lock sessions take to be created and removed: see lockProbes
}

// A root opens files below a directory as os.Root does, but with one system call and not three
// for each folder on the way.
type root struct {
	*os.Root
	fd *os.File
}

func openRoot(dir string) (*root, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f, err := r.Open(".")
	if err != nil {
		r.Close()
		return nil, err
	}
	return &root{r, f}, nil
}

func (r *root) Close() error {
	r.fd.Close()
	return r.Root.Close()
}

// open opens a file that is read or written at once: one that is waited for needs Root.Open.
func (r *root) open(name string, flags int) (*os.File, error) {
	how := &unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC), Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS}
	for {
		fd, err := unix.Openat2(int(r.fd.Fd()), name, how)
		switch err {
		case nil:
			return os.NewFile(uintptr(fd), filepath.Join(r.Name(), name)), nil
		case unix.EINTR:
		case unix.ENOSYS, unix.EPERM, unix.EAGAIN: // before 5.6, forbidden by seccomp, something is renamed
			return r.OpenFile(name, flags, 0)
		default:
			return nil, &os.PathError{Op: "openat", Path: name, Err: err}
		}
	}
}

// Path returns the directory the file system was opened at.
func (fs *FS) Path() string { return fs.dir }

// Open opens a file for reading. name is relative to the mount.
func (fs *FS) Open(name string) (*os.File, error) { return fs.root.Open(name) }

// ReadFile reads a whole file. name is relative to the mount.
func (fs *FS) ReadFile(name string) ([]byte, error) { return read(fs, name, io.ReadAll) }

// ReadValue reads a file that holds one short value, of at most 4,095 bytes, or the filter
// of an event. name is relative to the mount.
func (fs *FS) ReadValue(name string) ([]byte, error) {
	if path.Base(name) == "filter" {
		return read(fs, name, readFilter)
	}
	return read(fs, name, readOnce)
}

// readOnce reads a value with one read(2). The kernel makes the text again for each, and a
// second one would return the rest of another text if the value has changed in between:
// "0\n" and what "100\n" has from there on. A list cannot be read so: a read ends before a
// line that does not fit.
func readOnce(r io.Reader) ([]byte, error) {
	b := make([]byte, 4096)
	n, err := r.Read(b)
	if err == io.EOF {
		err = nil
	}
	if err == nil && n == len(b) {
		err = errLong
	}
	return b[:n], err
}

var errLong = errors.New("is not a single value: it has more than 4095 bytes")

// readFilter reads an event's filter. The kernel answers only one read(2), so the
// buffer must be large enough for all of it.
func readFilter(r io.Reader) ([]byte, error) {
	return io.ReadAll(bufio.NewReaderSize(r, 64<<10))
}

// names returns the sorted names of what is in a directory. fs.ReadDir is not used: it
// looks at each file, and leaves out what it cannot find.
func (fs *FS) names(dir string) ([]string, error) {
	f, err := fs.root.open(dir, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// Glob returns the sorted names of the files that match the pattern. The pattern and
// the names are relative to the mount.
func (fs *FS) Glob(pattern string) []string {
	names, err := iofs.Glob(fs.root.FS(), pattern)
	if err != nil {
		return nil // malformed pattern
	}
	return names
}

// Exists reports whether a file or directory exists. name is relative to the mount.
func (fs *FS) Exists(name string) bool {
	f, err := fs.root.open(name, unix.O_PATH|unix.O_NOFOLLOW)
	if err == nil {
		f.Close()
	}
	return err == nil
}

// read opens a file and parses it.
func read[T any](fs *FS, name string, parse func(io.Reader) (T, error)) (T, error) {
	f, err := fs.root.open(name, os.O_RDONLY)
	if err != nil {
		var zero T
		return zero, err
	}
	defer f.Close()
	v, err := parse(f)
	if err != nil {
		return v, fmt.Errorf("%s: %w", path.Join(fs.dir, name), err)
	}
	return v, nil
}

// write changes a setting with one write, without truncating or creating the file. With
// O_TRUNC several tracefs files do more than that: kprobe_events would delete
// everybody's probes.
func (fs *FS) write(name, value string) error {
	f, err := fs.root.open(name, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return err
	}
	defer f.Close()
	return writeOnce(f, value)
}

// writeOnce writes value with a single write(2). The kernel would parse each part of a
// value that was written in parts.
func writeOnce(f *os.File, value string) error {
	rc, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var n int
	var werr error
	err = rc.Control(func(fd uintptr) {
		for {
			n, werr = unix.Write(int(fd), []byte(value))
			if werr != unix.EINTR {
				return
			}
		}
	})
	switch {
	case err != nil:
		return err
	case werr != nil:
		return &os.PathError{Op: "write", Path: f.Name(), Err: werr}
	case n != len(value):
		return &os.PathError{Op: "write", Path: f.Name(), Err: io.ErrShortWrite}
	}
	return nil
}

// lockFile takes an exclusive flock(2) on an open file and waits for it.
func lockFile(f *os.File) error { return flock(f, unix.LOCK_EX) }

// tryLockFile is like lockFile, but returns unix.EWOULDBLOCK instead of waiting.
func tryLockFile(f *os.File) error { return flock(f, unix.LOCK_EX|unix.LOCK_NB) }

// unlockFile releases the lock.
func unlockFile(f *os.File) error { return flock(f, unix.LOCK_UN) }

func flock(f *os.File, how int) error {
	rc, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var lerr error
	err = rc.Control(func(fd uintptr) {
		for {
			lerr = unix.Flock(int(fd), how)
			if lerr != unix.EINTR {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	if lerr != nil {
		return &os.PathError{Op: "flock", Path: f.Name(), Err: lerr}
	}
	return nil
}

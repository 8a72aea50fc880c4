// Package outfile creates, replaces and removes the files that tsnoop writes, as root in
// most cases and also in directories where other users can put files and links.
//
// A file or link of another user there is refused: it is neither followed nor truncated nor
// replaced. Every file is found through a descriptor of its directory, which stays the same
// directory whatever happens to its path. Files are new ones, only for their owner: the
// user for whom root runs through sudo or doas, or the user who runs tsnoop.
package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs/users"
	"golang.org/x/sys/unix"
)

// A Dir is an open directory. Its methods take the paths of files in it: only the last
// element counts.
type Dir struct {
	fd     int    // with O_PATH
	path   string // as in the path of the file, "" for the current one
	shared bool   // others can create, rename and remove files in it
	proc   bool   // its links are the kernel's own
}

// A Refusal says that a file is not used, because it is not a regular file, or because
// another user has put it there or could have.
type Refusal struct{ Name, Why, Hint string }

func (r *Refusal) Error() string { return r.Name + " " + r.Why }

const elsewhere = "remove it, or use a directory that only you can write to"

// Open opens the directory of the file.
func Open(file string) (*Dir, error) {
	dir, err := walk(file, false)
	return dir.Dir, err
}

// Close closes the directory.
func (d *Dir) Close() error { return unix.Close(d.fd) }

// Create makes a new file, which nobody but its owner can read.
func (d *Dir) Create(file string) (*os.File, error) { return d.create(path.Base(file), file) }

func (d *Dir) create(name, file string) (*os.File, error) {
	var fd int
	var err error
	// A file in the way may be gone before its owner is known. One that somebody puts there over
	// and over is seen after some tries.
	for range 100 {
		fd, err = unix.Openat(d.fd, name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
		if !errors.Is(err, unix.EEXIST) {
			break
		}
		if st, e := d.stat(name); e == nil {
			err = firstError(d.refuse(name, st), d.alone(name, st), err)
			break
		}
	}
	if err != nil {
		return nil, pathError("create", file, err)
	}
	f := os.NewFile(uintptr(fd), file)
	if asker, ok := users.Asker(); ok {
		f.Chown(int(asker.UID), int(asker.GID)) // some file systems have no owners
	}
	return f, nil
}

// Open opens an existing regular file for reading.
func (d *Dir) Open(file string) (*os.File, error) {
	name := path.Base(file)
	fd, err := unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ELOOP) {
		err = firstError(d.Check(file), err)
	}
	if err != nil {
		return nil, pathError("open", file, err)
	}
	var st unix.Stat_t
	f := os.NewFile(uintptr(fd), file)
	err = unix.Fstat(fd, &st)
	if err = firstError(err, d.regular(name, &st), d.alone(name, &st)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Check returns an error if the file exists and must not be replaced.
func (d *Dir) Check(file string) error {
	st, err := d.stat(path.Base(file))
	if errors.Is(err, unix.ENOENT) {
		return nil
	} else if err != nil {
		return pathError("stat", file, err)
	}
	return d.regular(path.Base(file), st)
}

// Exists reports whether there is anything of this name.
func (d *Dir) Exists(file string) bool {
	_, err := d.stat(path.Base(file))
	return !errors.Is(err, unix.ENOENT)
}

// Rename gives f, which Create has made, another name. It replaces a file that Check
// accepts, and nothing else.
func (d *Dir) Rename(f *os.File, to string) error {
	from, name := path.Base(f.Name()), path.Base(to)
	if err := firstError(d.is(from, f), d.Check(to)); err != nil {
		return err
	}
	err := error(unix.EINVAL)
	if !d.Exists(name) {
		err = unix.Renameat2(d.fd, from, d.fd, name, unix.RENAME_NOREPLACE)
	}
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // it exists, or this file system has no such flag
		err = unix.Renameat(d.fd, from, d.fd, name)
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: f.Name(), New: to, Err: err}
	}
	return d.is(name, f)
}

// Remove removes a file, unless it belongs to another user.
func (d *Dir) Remove(file string) error {
	name := path.Base(file)
	st, err := d.stat(name)
	if err == nil {
		err = d.refuse(name, st)
	}
	if err == nil {
		err = unix.Unlinkat(d.fd, name, 0)
	}
	return pathError("remove", file, err)
}

// Names returns what is in the directory, in no order.
func (d *Dir) Names() ([]string, error) {
	f, err := d.readable()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// Sync waits until the names of files are on the disk.
func (d *Dir) Sync() error {
	f, err := d.readable()
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); !errors.Is(err, unix.EINVAL) { // a file system that has no need of it
		return err
	}
	return nil
}

func (d *Dir) readable() (*os.File, error) {
	fd, err := unix.Openat(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, pathError("open", d.path+".", err)
	}
	return os.NewFile(uintptr(fd), d.path+"."), nil
}

func (d *Dir) stat(name string) (*unix.Stat_t, error) {
	st := new(unix.Stat_t)
	return st, unix.Fstatat(d.fd, name, st, unix.AT_SYMLINK_NOFOLLOW)
}

// is returns an error unless name is the open file.
func (d *Dir) is(name string, f *os.File) error {
	st, err := d.stat(name)
	if errors.Is(err, unix.ENOENT) {
		return d.removed(name, "writing")
	}
	var open unix.Stat_t
	if err = firstError(err, unix.Fstat(int(f.Fd()), &open)); err != nil {
		return pathError("stat", d.path+name, err)
	}
	if !same(st, &open) {
		return d.replaced(name, st, "writing")
	}
	return nil
}

// same reports whether both are of one file.
func same(a, b *unix.Stat_t) bool { return a.Dev == b.Dev && a.Ino == b.Ino }

// removed says that the file that tsnoop was opening or writing is no longer there.
func (d *Dir) removed(name, doing string) error {
	return &Refusal{d.path + name, "was removed or renamed by somebody while tsnoop was " + doing + " it", elsewhere}
}

// replaced refuses what has taken the place of the file that tsnoop was opening or writing.
func (d *Dir) replaced(name string, by *unix.Stat_t, doing string) error {
	return &Refusal{d.path + name, fmt.Sprintf("was replaced by a %s of user %d while tsnoop was %s it", kind(by), by.Uid, doing), elsewhere}
}

// regular refuses all but regular files that may be read and replaced.
func (d *Dir) regular(name string, st *unix.Stat_t) error {
	if err := d.refuse(name, st); err != nil {
		return err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return nil
	case unix.S_IFLNK:
		return &Refusal{d.path + name, "is a symbolic link", "give the name of the file itself"}
	}
	return &Refusal{d.path + name, "is a " + kind(st) + ", not a regular file", ""}
}

// refuse refuses what another user has put there, or has been given.
func (d *Dir) refuse(name string, st *unix.Stat_t) error {
	if trusted(st.Uid) || !d.shared && st.Mode&unix.S_IFMT != unix.S_IFLNK {
		return nil
	}
	return &Refusal{d.path + name, fmt.Sprintf("is a %s of user %d: tsnoop does not use it", kind(st), st.Uid), elsewhere}
}

// alone refuses a file that another user can have given this name: a link to it needs no
// rights, unless fs.protected_hardlinks is set.
func (d *Dir) alone(name string, st *unix.Stat_t) error {
	if st.Mode&unix.S_IFMT == unix.S_IFREG && d.shared && st.Nlink > 1 {
		return &Refusal{d.path + name, fmt.Sprintf("is a hard link to a file of user %d that another user can have made", st.Uid), elsewhere}
	}
	return nil
}

// trusted reports whether a user's files are those of whoever runs tsnoop: root, who can
// do everything anyway, this user, and the one for whom root runs.
func trusted(uid uint32) bool {
	asker, ok := users.Asker()
	return uid == 0 || int(uid) == os.Geteuid() || ok && uid == asker.UID
}

func kind(st *unix.Stat_t) string {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return "file"
	case unix.S_IFLNK:
		return "symbolic link"
	case unix.S_IFDIR:
		return "directory"
	case unix.S_IFIFO:
		return "FIFO"
	case unix.S_IFSOCK:
		return "socket"
	}
	return "device"
}

// pathError adds the operation and the file to an error of the kernel.
//
//go:noinline
func pathError(op, file string, err error) error {
	if _, ok := err.(unix.Errno); ok {
		return &fs.PathError{Op: op, Path: strings.TrimSuffix(file, "/."), Err: err}
	}
	return err
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

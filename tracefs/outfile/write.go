package outfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Write opens a file to write to it: a new one, or what is there, which is truncated if it
// is a regular file. It follows links of trusted users, such as /dev/stdout.
func Write(file string) (*os.File, error) {
	at, err := walk(file, true)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	if at.proc { // /proc/self/fd/1 leads to a file that is open already
		fd, err := unix.Openat(at.fd, at.name, unix.O_WRONLY|unix.O_TRUNC|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, pathError("open", file, err)
		}
		return os.NewFile(uintptr(fd), file), nil
	}
	f, err := at.create(at.name, file)
	if errors.Is(err, unix.EEXIST) {
		return at.overwrite(file)
	}
	return f, err
}

// overwrite opens a file that exists and truncates it.
func (p place) overwrite(file string) (*os.File, error) {
	st, err := p.stat(p.name)
	if errors.Is(err, unix.ENOENT) {
		return nil, p.removed(p.name, "opening")
	} else if err != nil {
		return nil, pathError("open", file, err)
	}
	if err := firstError(p.refuse(p.name, st), p.alone(p.name, st)); err != nil {
		return nil, err
	}
	return p.truncate(file, st)
}

// truncate opens the file that was checked when st was read. Nothing is done to it before
// it is certain that it is the same one.
func (p place) truncate(file string, st *unix.Stat_t) (*os.File, error) {
	regular := st.Mode&unix.S_IFMT == unix.S_IFREG
	flags := unix.O_WRONLY | unix.O_NOFOLLOW | unix.O_NOCTTY | unix.O_CLOEXEC
	if regular {
		flags |= unix.O_NONBLOCK // a FIFO in its place must not hold us
	}
	fd, err := unix.Openat(p.fd, p.name, flags, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil, p.removed(p.name, "opening")
	} else if err != nil {
		if now, e := p.stat(p.name); e == nil && !same(now, st) {
			return nil, p.replaced(p.name, now, "opening")
		}
		return nil, pathError("open", file, err)
	}
	f := os.NewFile(uintptr(fd), file)
	var open unix.Stat_t
	err = unix.Fstat(fd, &open)
	if err == nil && !same(&open, st) {
		err = p.replaced(p.name, &open, "opening")
	}
	if err = firstError(err, p.alone(p.name, &open)); err == nil && regular {
		err = unix.Ftruncate(fd, 0)
	}
	if err != nil {
		f.Close()
		return nil, pathError("open", file, err)
	}
	return f, nil
}

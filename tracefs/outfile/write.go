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

// overwrite opens a file that exists. Nothing is done to it before it is certain that it
// is the one that was checked.
func (p place) overwrite(file string) (*os.File, error) {
	st, err := p.stat(p.name)
	if err != nil {
		return nil, pathError("open", file, err)
	}
	if err := firstError(p.refuse(p.name, st), p.alone(p.name, st)); err != nil {
		return nil, err
	}
	regular := st.Mode&unix.S_IFMT == unix.S_IFREG
	flags := unix.O_WRONLY | unix.O_NOFOLLOW | unix.O_NOCTTY | unix.O_CLOEXEC
	if regular {
		flags |= unix.O_NONBLOCK // a FIFO in its place must not hold us
	}
	fd, err := unix.Openat(p.fd, p.name, flags, 0)
	if err != nil {
		return nil, pathError("open", file, err)
	}
	f := os.NewFile(uintptr(fd), file)
	var open unix.Stat_t
	err = unix.Fstat(fd, &open)
	if err == nil && (open.Dev != st.Dev || open.Ino != st.Ino || open.Nlink != st.Nlink) {
		err = &Refusal{p.path + p.name, "was replaced while tsnoop was opening it", elsewhere}
	}
	if err == nil && regular {
		err = unix.Ftruncate(fd, 0)
	}
	if err != nil {
		f.Close()
		return nil, pathError("open", file, err)
	}
	return f, nil
}

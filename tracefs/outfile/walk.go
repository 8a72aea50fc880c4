package outfile

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"
)

// A place is a name in an open directory.
type place struct {
	*Dir
	name string
}

// maxLinks is how many links the kernel follows in a path.
const maxLinks = 40

// walk opens the directories of a path one after the other. It follows symbolic links of
// trusted users only, since anybody can put one into a directory like /tmp; a link at the
// end only if follow is set.
func walk(file string, follow bool) (place, error) {
	at, err := openDir(unix.AT_FDCWD, start(file), start(file))
	todo := elements(file)
	if len(todo) == 0 || strings.HasSuffix(file, "/") {
		err = firstError(err, pathError("open", file, unix.EISDIR))
	}
	for links := 0; err == nil; {
		elem, last := todo[0], len(todo) == 1
		if last && !follow || at.proc && last {
			return place{at, elem}, nil
		}
		var target string
		var next *Dir
		target, next, err = at.step(elem, last)
		switch {
		case last && (err == nil && target == "" || errors.Is(err, unix.ENOENT)):
			return place{at, elem}, nil
		case err != nil:
		case target == "":
			at.Close()
			at, todo = next, todo[1:]
		case links == maxLinks:
			err = unix.ELOOP
		default:
			links++
			todo = append(elements(target), todo[1:]...)
			if strings.HasPrefix(target, "/") {
				at.Close()
				at, err = openDir(unix.AT_FDCWD, "/", "/")
			}
			if len(todo) == 0 {
				err = firstError(err, unix.EISDIR)
			}
		}
	}
	if at != nil {
		at.Close()
	}
	return place{}, pathError("open", file, err)
}

// step goes on to elem. If it is a link that is to be followed, target is where that leads; if
// not, and it is not the last one, next is the directory, open.
func (d *Dir) step(elem string, last bool) (target string, next *Dir, err error) {
	if d.proc {
		next, err = d.enter(elem, 0)
	} else if target, err = d.readlink(elem); err == nil && target == "" && !last {
		next, err = d.enter(elem, unix.O_NOFOLLOW)
	}
	return target, next, err
}

// start returns the directory where a path begins.
func start(file string) string {
	if strings.HasPrefix(file, "/") {
		return "/"
	}
	return "."
}

// elements splits a path.
func elements(file string) (names []string) {
	for name := range strings.SplitSeq(file, "/") {
		if name != "" && name != "." {
			names = append(names, name)
		}
	}
	return names
}

// enter opens a directory in d.
func (d *Dir) enter(name string, flags int) (*Dir, error) {
	return openDirFlags(d.fd, name, d.path+name+"/", flags)
}

func openDir(at int, name, path string) (*Dir, error) {
	if path == "." {
		path = ""
	}
	return openDirFlags(at, name, path, 0)
}

func openDirFlags(at int, name, path string, flags int) (*Dir, error) {
	fd, err := unix.Openat(at, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC|flags, 0)
	if err != nil {
		return nil, err
	}
	d := &Dir{fd: fd, path: path}
	var st unix.Stat_t
	var system unix.Statfs_t
	if err := firstError(unix.Fstat(fd, &st), unix.Fstatfs(fd, &system)); err != nil {
		d.Close()
		return nil, err
	}
	d.shared = !trusted(st.Uid) || st.Mode&0o022 != 0
	d.proc = system.Type == unix.PROC_SUPER_MAGIC
	return d, nil
}

// readlink returns the target of a link, and "" if it is none.
func (d *Dir) readlink(name string) (string, error) {
	fd, err := unix.Openat(d.fd, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	// The owner and the target are those of the same link, also if somebody replaces it.
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFLNK {
		return "", err
	}
	if err := d.refuse(name, &st); err != nil {
		return "", err
	}
	target := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(fd, "", target)
	if err == nil && n == 0 {
		err = unix.ENOENT
	}
	return string(target[:max(n, 0)]), err
}

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// paths opens n files below random mounts. For the i-th it calls fcntl(2) with F_GETOWN
// and i, and writes to a file what readlink(2) says of it, as a Go string, one a line.
func paths(file string, seed uint64, n int) error {
	top, err := os.MkdirTemp("/tmp", "paths")
	if err != nil {
		return err
	}
	t := &trees{Rand: rand.New(rand.NewPCG(seed, 0)), top: top}
	defer func() {
		for i := len(t.mounted) - 1; i >= 0; i-- {
			unix.Unmount(t.mounted[i], unix.MNT_DETACH)
		}
		os.RemoveAll(top)
	}()
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	for i := range n {
		fd, err := t.open(i)
		if err != nil {
			return fmt.Errorf("file %d: %w", i, err)
		}
		unix.FcntlInt(uintptr(fd), unix.F_GETOWN, i)
		name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%q\n", name)
		unix.Close(fd)
		t.leave()
	}
	if t.overlays == 0 {
		return errors.New("no overlay could be mounted")
	}
	return nil
}

// trees makes random folders, files and mounts.
type trees struct {
	*rand.Rand
	top      string
	mounted  []string
	overlays int // how many of these are of the overlay file system
	n        int
	specials int
	leave    func() // ends what open has begun
}

// name returns the name of a new file.
func (t *trees) name() string {
	t.n++
	name := fmt.Sprintf("n%d", t.n)
	if t.IntN(20) == 0 {
		name += strings.Repeat("-", 255-len(name))
	}
	return name
}

// folder makes a folder, some folders deep, below another.
func (t *trees) folder(below string) string {
	for range t.IntN(5) {
		below = filepath.Join(below, t.name())
	}
	os.MkdirAll(below, 0o755)
	return below
}

// file makes a file, some folders deep, below a folder.
func (t *trees) file(below string) string {
	name := filepath.Join(t.folder(below), t.name())
	os.WriteFile(name, nil, 0o644)
	return name
}

// mount mounts something on a new folder and returns the folder; if that fails, a tmpfs.
func (t *trees) mount(below, source, kind string, flags uintptr, data string) string {
	at := filepath.Join(t.folder(below), t.name())
	os.Mkdir(at, 0o755)
	if unix.Mount(source, at, kind, flags, data) != nil {
		unix.Mount("none", at, "tmpfs", 0, "")
	} else if kind == "overlay" {
		t.overlays++
	}
	t.mounted = append(t.mounted, at)
	return at
}

// tree returns a folder below random mounts.
func (t *trees) tree() string {
	at := t.top
	for range t.IntN(4) {
		switch t.IntN(3) {
		case 0:
			at = t.mount(at, t.folder(t.top), "", unix.MS_BIND, "")
		case 1:
			at = t.mount(at, "none", "tmpfs", 0, "")
		case 2:
			on := t.mount(t.top, "none", "tmpfs", 0, "")
			lower, upper, work := t.folder(on), filepath.Join(on, "upper"), filepath.Join(on, "work")
			os.Mkdir(upper, 0o755)
			os.Mkdir(work, 0o755)
			at = t.mount(at, "none", "overlay", 0, fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", lower, upper, work))
		}
	}
	return at
}

// open opens the i-th file.
func (t *trees) open(i int) (int, error) {
	t.leave = func() {}
	kinds := []func() (int, error){t.plain, t.bound, t.renamed, t.unlinked, t.moved, t.elsewhere, t.detached, t.special}
	return kinds[i%len(kinds)]()
}

func openFile(name string) (int, error) { return unix.Open(name, unix.O_RDWR, 0) }

func (t *trees) plain() (int, error) { return openFile(t.file(t.tree())) }

// bound opens a file that is mounted on another.
func (t *trees) bound() (int, error) {
	name := t.file(t.tree())
	if err := unix.Mount(t.file(t.tree()), name, "", unix.MS_BIND, ""); err != nil {
		return 0, err
	}
	t.mounted = append(t.mounted, name)
	return openFile(name)
}

func (t *trees) renamed() (int, error) {
	tree := t.tree()
	name := t.file(tree)
	fd, err := openFile(name)
	os.Rename(name, filepath.Join(tree, t.name()))
	return fd, err
}

func (t *trees) unlinked() (int, error) {
	name := t.file(t.tree())
	fd, err := openFile(name)
	os.Remove(name)
	return fd, err
}

// moved opens a file and then renames its folder.
func (t *trees) moved() (int, error) {
	tree := t.tree()
	folder := filepath.Join(tree, t.name())
	os.Mkdir(folder, 0o755)
	fd, err := openFile(t.file(folder))
	os.Rename(folder, filepath.Join(tree, t.name()))
	return fd, err
}

// elsewhere opens a file in a mount namespace or in a root of its own, those of a thread
// that lives until the file is closed.
func (t *trees) elsewhere() (int, error) {
	type result struct {
		fd  int
		err error
	}
	done, left := make(chan result), make(chan bool)
	t.leave = func() { close(left) }
	go func() {
		runtime.LockOSThread()
		defer func() { <-left }()
		flags := unix.CLONE_FS
		if t.IntN(2) == 0 {
			flags = unix.CLONE_NEWNS
		}
		if err := unix.Unshare(flags); err != nil {
			done <- result{0, err}
			return
		}
		if flags == unix.CLONE_NEWNS {
			unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
			fd, err := openFile(t.file(t.mount(t.tree(), t.folder(t.top), "", unix.MS_BIND, "")))
			done <- result{fd, err}
			return
		}
		root := t.tree()
		name := t.file(root)
		err := unix.Chroot(root)
		if err == nil {
			var fd int
			fd, err = openFile(strings.TrimPrefix(name, root))
			done <- result{fd, err}
			return
		}
		done <- result{0, err}
	}()
	r := <-done
	return r.fd, r.err
}

// special opens what is in no folder, of each kind in turn.
func (t *trees) special() (int, error) {
	t.specials++
	switch t.specials % 16 {
	case 0:
		var p [2]int
		err := unix.Pipe(p[:])
		unix.Close(p[1])
		return p[0], err
	case 1:
		return unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	case 2:
		return unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	case 3:
		return unix.Eventfd(0, 0)
	case 4:
		return unix.EpollCreate1(0)
	case 5:
		return unix.MemfdCreate(t.name()[:2], 0)
	case 6:
		return unix.MemfdCreate("huge", unix.MFD_HUGETLB)
	case 7:
		return unix.PidfdOpen(os.Getpid(), 0)
	case 8:
		return unix.TimerfdCreate(unix.CLOCK_MONOTONIC, 0)
	case 9:
		return unix.Signalfd(-1, &unix.Sigset_t{}, 0)
	case 10:
		return unix.InotifyInit1(0)
	case 11, 12, 13:
		spaces := []string{"mnt", "net", "uts", "pid", "ipc", "user", "cgroup"}
		return unix.Open("/proc/self/ns/"+spaces[t.IntN(len(spaces))], unix.O_RDONLY, 0)
	case 14:
		return unix.Open(t.folder(t.top), unix.O_TMPFILE|unix.O_RDWR, 0o600)
	}
	return unix.Open("/", unix.O_RDONLY, 0)
}

// detached opens a file and then unmounts the filesystem that it is in.
func (t *trees) detached() (int, error) {
	on := t.mount(t.tree(), "none", "tmpfs", 0, "")
	fd, err := openFile(t.file(on))
	unix.Unmount(on, unix.MNT_DETACH)
	return fd, err
}

package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const mallory = 4711 // a user who is neither root nor the one who tests

// TestWrite: new files are for their owner alone, existing ones keep their mode, and links
// are followed to where they lead.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	must(t, os.WriteFile("old", []byte("x"), 0o644), os.Symlink("target", "own"), os.Symlink(dir, "here"),
		os.Symlink("round", "round"), os.Mkdir("sub", 0o755))
	for name, want := range map[string]struct {
		file string
		mode os.FileMode
	}{
		"new":               {"new", 0o600},
		"old":               {"old", 0o644},
		"own":               {"target", 0o600},
		"./sub/../here/new": {"new", 0o600},
		dir + "/here/other": {"other", 0o600},
		"here/sub/x":        {"sub/x", 0o600},
	} {
		f, err := Write(name)
		must(t, err)
		f.WriteString(name)
		must(t, f.Close())
		info, err := os.Stat(want.file)
		must(t, err)
		if b, _ := os.ReadFile(want.file); info.Mode() != want.mode || string(b) != name || f.Name() != name {
			t.Errorf("%s: %s of mode %v has %q", name, f.Name(), info.Mode(), b)
		}
	}
	for name, want := range map[string]error{
		"nodir/x": unix.ENOENT, "old/x": unix.ENOTDIR, "sub": unix.EISDIR, "sub/": unix.EISDIR, "": unix.EISDIR, "round": unix.ELOOP, "here": unix.EISDIR,
	} {
		if f, err := Write(name); !errors.Is(err, want) {
			t.Errorf("%q: %v, %v, want %v", name, f, err, want)
		}
	}
}

// TestWriteUmask: a umask that is stricter than 0600 holds.
func TestWriteUmask(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	old := unix.Umask(0o277)
	f, err := Write(file)
	unix.Umask(old)
	must(t, err)
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Mode() != 0o400 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestWriteOpenFile: links in /proc lead to files that are open, with and without a name.
func TestWriteOpenFile(t *testing.T) {
	r, w, err := os.Pipe()
	must(t, err)
	defer r.Close()
	must(t, unix.Dup2(int(w.Fd()), 200))
	w.Close()
	f, err := Write("/dev/fd/200")
	must(t, err)
	f.WriteString("through a pipe")
	f.Close()
	b := make([]byte, 100)
	if n, err := r.Read(b); string(b[:n]) != "through a pipe" {
		t.Errorf("%q, %v", b[:n], err)
	}
	unix.Close(200)
	name := filepath.Join(t.TempDir(), "x")
	must(t, os.WriteFile(name, []byte("longer"), 0o600))
	if f, err = Write("/proc/self/root" + name); err == nil {
		err = f.Close()
	}
	must(t, err)
	if b, err := os.ReadFile(name); len(b) > 0 {
		t.Errorf("%q, %v", b, err)
	}
	if f, err := Write("/dev/null"); err != nil {
		t.Errorf("%v, %v", f, err)
	}
}

// dirs are directories of root where others can put files, by mode and owner.
var dirs = map[string]struct {
	mode os.FileMode
	uid  int
}{
	"sticky":            {0o777 | os.ModeSticky, 0},
	"of all":            {0o777, 0},
	"of a group":        {0o775, 0},
	"of another":        {0o755, mallory},
	"sticky of another": {0o777 | os.ModeSticky, mallory},
}

// TestOthers: what another user has put into a directory that others can write is refused
// by its name and owner, and nothing happens to it.
func TestOthers(t *testing.T) {
	asRoot(t)
	secret := filepath.Join(t.TempDir(), "secret")
	for kind, d := range dirs {
		dir := filepath.Join(open(t), "d")
		name := filepath.Join(dir, "x")
		must(t, os.Mkdir(dir, 0), os.Chmod(dir, d.mode), os.Chown(dir, d.uid, 0))
		for what, put := range map[string]func(){
			"file":          func() { must(t, os.WriteFile(name, []byte("precious"), 0o666)) },
			"symbolic link": func() { must(t, os.WriteFile(secret, []byte("precious"), 0o600), os.Symlink(secret, name)) },
			"FIFO":          func() { must(t, unix.Mkfifo(name, 0o666)) },
		} {
			os.Remove(name)
			put()
			must(t, os.Lchown(name, mallory, 0))
			in, err := Open(name)
			must(t, err)
			made, err := in.Create("y")
			must(t, err)
			for op, do := range map[string]func() error{
				"write":  func() error { _, err := Write(name); return err },
				"create": func() error { _, err := in.Create(name); return err },
				"open": func() error {
					if what == "FIFO" {
						return in.Check(name)
					}
					_, err := in.Open(name)
					return err
				},
				"check":  func() error { return in.Check(name) },
				"rename": func() error { return in.Rename(made, name) },
				"remove": func() error { return in.Remove(name) },
			} {
				want := name + " is a " + what + " of user 4711: "
				var refused *Refusal
				if err := do(); !errors.As(err, &refused) || !strings.HasPrefix(refused.Error(), want) || refused.Hint == "" {
					t.Errorf("%s: %s of a %s: %v", kind, op, what, err)
				}
			}
			if what == "FIFO" {
				must(t, os.Remove(name))
			} else if b, err := os.ReadFile(name); string(b) != "precious" {
				t.Errorf("%s: %s: %q, %v", kind, what, b, err)
			}
			must(t, made.Close(), in.Remove("y"), in.Close())
		}
		os.Remove(name)
		must(t, os.Link(secret, name))
		in, err := Open(name)
		must(t, err)
		_, written := Write(name)
		_, opened := in.Open(name)
		for _, err := range []error{written, opened} {
			if err == nil || !strings.Contains(err.Error(), "is a hard link") {
				t.Errorf("%s: another name of a file: %v", kind, err)
			}
		}
		in.Close()
	}
	if b, err := os.ReadFile(secret); string(b) != "precious" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestOthersPath: a link of another user in the middle of a path is not followed either,
// and root's own is.
func TestOthersPath(t *testing.T) {
	asRoot(t)
	dir, secret := open(t), t.TempDir()
	must(t, os.Chmod(dir, 0o777|os.ModeSticky), os.Symlink(secret, dir+"/trap"), os.Symlink(secret, dir+"/own"), os.Lchown(dir+"/trap", mallory, mallory))
	for name, ok := range map[string]bool{"trap": false, "own": true} {
		f, err := Write(dir + "/" + name + "/x")
		if (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
		d, err := Open(dir + "/" + name + "/y")
		if (err == nil) != ok || !ok && !strings.Contains(err.Error(), dir+"/trap is a symbolic link of user 4711") {
			t.Errorf("%s: %v", name, err)
		}
		if d != nil {
			d.Close()
		}
	}
}

// TestOwnDirectory: where only root can write, the files of others are root's to use.
func TestOwnDirectory(t *testing.T) {
	asRoot(t)
	name := filepath.Join(t.TempDir(), "x")
	must(t, os.WriteFile(name, []byte("log"), 0o600), os.Chown(name, mallory, mallory))
	f, err := Write(name)
	must(t, err)
	f.Close()
	if info, err := os.Stat(name); err != nil || info.Size() > 0 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestRename: Rename notices that a file has got another name in the meantime.
func TestRename(t *testing.T) {
	dir := t.TempDir()
	d, err := Open(dir + "/x")
	must(t, err)
	defer d.Close()
	f, err := d.Create(dir + "/tmp")
	must(t, err)
	defer f.Close()
	must(t, os.Rename(dir+"/tmp", dir+"/away"), os.WriteFile(dir+"/tmp", []byte("another"), 0o600))
	if err := d.Rename(f, dir+"/x"); err == nil || !strings.Contains(err.Error(), dir+"/tmp was replaced by a file of user ") {
		t.Errorf("%v", err)
	}
	must(t, os.Rename(dir+"/away", dir+"/tmp"), d.Rename(f, dir+"/x"), d.Sync())
	if names, err := d.Names(); len(names) != 1 || names[0] != "x" {
		t.Errorf("%q, %v", names, err)
	}
}

// TestRace: another user renames files, links and directories while root writes. Whatever
// root gets to write to is root's own file, and the other user's files and the secret ones
// stay as they are.
func TestRace(t *testing.T) {
	asRoot(t)
	rounds := 500
	if testing.Short() {
		rounds = 100
	}
	for kind, d := range dirs {
		dir, secret := open(t), t.TempDir()
		must(t, os.WriteFile(secret+"/secret", []byte("precious"), 0o666), os.Chmod(dir, d.mode), os.Chown(dir, d.uid, mallory),
			os.WriteFile(dir+"/keep", []byte("precious"), 0o666), os.Chown(dir+"/keep", mallory, mallory))
		end, ended := make(chan bool), make(chan bool)
		go adversary(dir, secret, end, ended)
		written, refused := 0, 0
		for range rounds {
			for _, err := range []error{overwrite(t, dir+"/x"), overwrite(t, dir+"/sub/x"), replace(t, dir+"/x")} {
				if err == nil {
					written++
				} else {
					refused++
				}
			}
		}
		close(end)
		<-ended
		for _, name := range []string{secret + "/secret", dir + "/keep"} {
			if b, err := os.ReadFile(name); string(b) != "precious" {
				t.Errorf("%s: %s: %q, %v", kind, name, b, err)
			}
		}
		if names, err := os.ReadDir(secret); len(names) != 1 {
			t.Errorf("%s: %v, %v", kind, names, err)
		}
		t.Logf("%s: %d written, %d refused", kind, written, refused)
		if refused == 0 {
			t.Errorf("%s: there was no race", kind)
		}
	}
}

// adversary puts all kinds of things where root writes, from a thread of its own.
func adversary(dir, secret string, end, ended chan bool) {
	defer close(ended)
	runtime.LockOSThread() // and never unlocked: the thread ends with its user
	unix.RawSyscall(unix.SYS_SETRESGID, mallory, mallory, mallory)
	unix.RawSyscall(unix.SYS_SETRESUID, mallory, mallory, mallory)
	x, sub, own := dir+"/x", dir+"/sub", dir+"/own"
	os.Mkdir(own, 0o777)
	for i := 0; ; i++ {
		select {
		case <-end:
			return
		default:
		}
		for _, name := range []string{x, x + ".tmp", dir + "/sub/x"} {
			other := dir + "/other"
			switch i % 5 {
			case 0:
				os.Symlink(secret+"/secret", other)
			case 1:
				os.Link(secret+"/secret", other)
			case 2:
				os.Link(dir+"/keep", other)
			case 3:
				os.Rename(name, dir+"/away")
			case 4:
				os.Remove(name)
			}
			os.Rename(other, name)
			os.Remove(other)
		}
		os.Remove(sub)
		os.Rename(sub, own)
		if i%2 == 0 {
			os.Symlink(secret, sub)
		} else {
			os.Rename(own, sub)
		}
	}
}

// overwrite writes a file as --output does.
func overwrite(t *testing.T, name string) error {
	f, err := Write(name)
	if err != nil {
		return err
	}
	defer f.Close()
	rooted(t, f)
	_, err = f.WriteString("kernel memory")
	return err
}

// replace writes a file as record does.
func replace(t *testing.T, name string) error {
	d, err := Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	f, err := d.Create(name + ".tmp")
	if err != nil {
		d.Remove(name + ".tmp")
		return err
	}
	defer f.Close()
	rooted(t, f)
	f.WriteString("kernel memory")
	if err := d.Rename(f, name); err != nil {
		d.Remove(name + ".tmp")
		return err
	}
	return d.Remove(name)
}

// rooted fails unless the file is one that root has made and only root can read.
func rooted(t *testing.T, f *os.File) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil || st.Uid != 0 || st.Mode != unix.S_IFREG|0o600 {
		t.Errorf("root writes to a file of user %d, mode %o, %v", st.Uid, st.Mode, err)
	}
}

// open returns a directory that all users can reach.
func open(t *testing.T) string {
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o755))
	return dir
}

func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can act for another user")
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil && !errors.Is(err, fs.ErrClosed) {
			t.Fatal(err)
		}
	}
}

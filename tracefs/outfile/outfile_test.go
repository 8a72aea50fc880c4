package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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

// TestReplaced: a file that was checked is not opened when something else has taken its
// place since, nor when another user has made a further name for it.
func TestReplaced(t *testing.T) {
	asRoot(t)
	secret := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(secret, []byte("precious"), 0o600))
	for want, swap := range map[string]func(name string){
		"was replaced by a symbolic link of user 4711 while tsnoop was opening it": func(name string) { must(t, os.Symlink(secret, name), os.Lchown(name, mallory, mallory)) },
		"was replaced by a file of user 4711 while tsnoop was opening it": func(name string) {
			must(t, os.WriteFile(name, []byte("precious"), 0o600), os.Chown(name, mallory, mallory))
		},
		"was replaced by a FIFO of user 0 while tsnoop was opening it":       func(name string) { must(t, unix.Mkfifo(name, 0o600)) },
		"was replaced by a file of user 0 while tsnoop was opening it":       func(name string) { must(t, os.Link(secret, name)) },
		"is a hard link to a file of user 0 that another user can have made": func(name string) { must(t, os.Link(name+".old", name)) },
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, "x")
		must(t, os.Chmod(dir, 0o777), os.WriteFile(name, []byte("precious"), 0o600))
		at, err := walk(name, true)
		must(t, err)
		st, err := at.stat("x")
		must(t, err, os.Rename(name, name+".old"))
		swap(name)
		if _, err := at.truncate(name, st); err == nil || err.Error() != name+" "+want {
			t.Errorf("%v, want %s", err, want)
		}
		for _, file := range []string{secret, name + ".old"} {
			if b, err := os.ReadFile(file); string(b) != "precious" {
				t.Errorf("%s: %s: %q, %v", want, file, b, err)
			}
		}
		must(t, at.Close())
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
	must(t, os.Remove(dir+"/tmp"))
	if err := d.Rename(f, dir+"/x"); err == nil || err.Error() != dir+"/tmp was removed or renamed by somebody while tsnoop was writing it" {
		t.Errorf("%v", err)
	}
	must(t, os.Rename(dir+"/away", dir+"/tmp"), d.Rename(f, dir+"/x"), d.Sync())
	if names, err := d.Names(); len(names) != 1 || names[0] != "x" {
		t.Errorf("%q, %v", names, err)
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

package outfile

import (
	"errors"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

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
		written, refused, gone := 0, 0, 0
		for range rounds {
			for _, err := range []error{overwrite(t, dir+"/x"), overwrite(t, dir+"/sub/x"), replace(t, dir+"/x")} {
				var why *Refusal
				switch {
				case err == nil:
					written++
				case !strings.Contains(err.Error(), dir):
					t.Errorf("%s: which file? %v", kind, err)
				case errors.As(err, &why) && owned.MatchString(err.Error()):
					refused++
				case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EEXIST), errors.Is(err, unix.ENOTDIR), errors.As(err, &why) && strings.Contains(err.Error(), " was removed or renamed "):
					gone++
				default:
					t.Errorf("%s: whose file? %v", kind, err)
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
		t.Logf("%s: %d written, %d refused, %d gone", kind, written, refused, gone)
		if refused == 0 {
			t.Errorf("%s: there was no race", kind)
		}
	}
}

// owned is a refusal that says whose file it is.
var owned = regexp.MustCompile(` (is|was replaced by) a (hard link to a )?(file|symbolic link|directory) of user \d+[: ]`)

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

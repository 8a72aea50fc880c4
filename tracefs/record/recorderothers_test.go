package record

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecoverOthers: what another user has put beside the pages that a recorder has left is
// refused by its name and owner, and all stays as it is.
func TestRecoverOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can act for another user")
	}
	dir := t.TempDir()
	rt := newRecorderTest(t, filepath.Join(dir, "t.dat"))
	rt.kept(rt.rec.Close(io.ErrShortWrite), io.ErrShortWrite.Error())
	rt.must(os.Chmod(dir, 0o777))
	secret := filepath.Join(t.TempDir(), "secret")
	rt.must(os.WriteFile(secret, []byte("precious"), 0o600))
	for _, name := range []string{rt.rec.name, rt.rec.tmpName(), rt.rec.cpuName(7)} {
		for kind, put := range map[string]func() error{
			"file":          func() error { return os.WriteFile(name, []byte("precious"), 0o600) },
			"symbolic link": func() error { return os.Symlink(secret, name) },
		} {
			rt.must(put())
			rt.must(os.Lchown(name, 4711, 4711))
			var refused *FileError
			err := rt.recover()
			if want := name + " is a " + kind + " of user 4711"; !errors.As(err, &refused) || !strings.Contains(refused.Msg, want) || refused.Hint == "" {
				t.Errorf("%v, want %s", err, want)
			}
			if b, err := os.ReadFile(name); string(b) != "precious" {
				t.Errorf("%s: %q, %v", name, b, err)
			}
			rt.must(os.Remove(name))
		}
	}
	rt.must(rt.recover())
	rt.holds(dir, "t.dat")
	rt.shows()
}

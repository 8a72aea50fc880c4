package live

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/tsnoop/tsnoop/testdata/terminal"
	"golang.org/x/sys/unix"
)

// outputs are the kinds of output whose reader can go away.
var outputs = map[string]func(t *testing.T) (w, r *os.File){
	"pipe": func(t *testing.T) (w, r *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		return w, r
	},
	"fifo": func(t *testing.T) (w, r *os.File) {
		name := filepath.Join(t.TempDir(), "fifo")
		if err := unix.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		if w, err = os.OpenFile(name, os.O_WRONLY, 0); err != nil {
			t.Fatal(err)
		}
		return w, r
	},
	"socket": func(t *testing.T) (w, r *os.File) {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		return os.NewFile(uintptr(fds[0]), "w"), os.NewFile(uintptr(fds[1]), "r")
	},
	"terminal": func(t *testing.T) (w, r *os.File) {
		r, w, err := terminal.Open(80)
		if err != nil {
			t.Fatal(err)
		}
		return w, r
	},
}

// TestWhileRead closes the other side of each kind of output: the context ends then, and
// not before.
func TestWhileRead(t *testing.T) {
	for name, open := range outputs {
		t.Run(name, func(t *testing.T) {
			w, r := open(t)
			defer w.Close()
			ctx, release, err := whileRead(context.Background(), w)
			if err != nil {
				t.Fatal(err)
			}
			defer release()
			if _, err := w.Write([]byte("a line\n")); err != nil {
				t.Fatal(err)
			}
			if ctx.Err() != nil {
				t.Fatal("ended while somebody can read")
			}
			r.Close()
			<-ctx.Done()
		})
	}
}

// TestWhileReadFile shows that a regular file and /dev/null have no reader to lose, and
// that release ends the watch.
func TestWhileReadFile(t *testing.T) {
	for _, name := range []string{filepath.Join(t.TempDir(), "file"), os.DevNull} {
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		ctx, release, err := whileRead(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		if ctx.Err() != nil {
			t.Errorf("%s: ended", name)
		}
		release()
		if ctx.Err() == nil {
			t.Errorf("%s: not released", name)
		}
	}
}

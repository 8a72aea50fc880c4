package parquet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/program"
)

// partial is how the names of files end that are being written: *.parquet does not match them.
const partial = ".partial"

// A directory receives the files. Until the export is complete, they are in a directory with
// another name and have names of their own. An export that is interrupted removes them; one
// that is killed leaves them there.
type directory struct {
	name   string // that was asked for
	exists bool   // it does, and is empty
	work   string // where the files are until then
	root   *os.Root
	n      int // files
}

// newDirectory creates the directory in which files are written. That of the name must be
// empty, or not exist.
func newDirectory(name string) (*directory, error) {
	d := &directory{name: filepath.Clean(name)}
	entries, err := os.ReadDir(d.name)
	switch {
	case err == nil && len(entries) > 0:
		return nil, program.Errorf("give a new directory: both can be read at once, as 'DIR*/host=*/func=*/*.parquet'", "--out %s: the directory is not empty, and nothing in it is replaced", name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, program.Errorf("", "cannot write to --out: %v", err)
	}
	d.exists = err == nil
	// A directory that exists may be another file system, or all that we may write to.
	parent, pattern := filepath.Dir(d.name), "."+filepath.Base(d.name)+partial+"-*"
	if d.exists {
		parent, pattern = d.name, partial+"-*"
	}
	if d.work, err = os.MkdirTemp(parent, pattern); err != nil {
		return nil, program.Errorf("", "cannot write to --out: %v", err)
	}
	if d.root, err = os.OpenRoot(d.work); err != nil {
		return nil, errors.Join(err, os.Remove(d.work))
	}
	return d, nil
}

// partition returns the directory for the calls of a function, as Hive and what reads its
// directories have it.
func partition(host, function string) string {
	return "host=" + escape(host) + "/func=" + escape(function)
}

// escape returns a name that is one element of a path: all but letters, digits and a few signs
// becomes %XX. DuckDB refuses to read a name that is not UTF-8, also with escapes.
func escape(name string) string {
	const most = 200
	if name == "" {
		return "__HIVE_DEFAULT_PARTITION__" // null
	}
	var b strings.Builder
	for _, r := range string(valid([]byte(name))) {
		before := b.Len()
		for _, c := range []byte(string(r)) {
			if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("._-", c) >= 0 {
				b.WriteByte(c)
				continue
			}
			fmt.Fprintf(&b, "%%%02X", c)
		}
		if b.Len() > most {
			return b.String()[:before] + "~" + sum(name)
		}
	}
	return b.String()
}

// create creates the next file in a directory below.
func (d *directory) create(dir string) (*os.File, error) {
	d.n++
	return d.open(fmt.Sprintf("%s/part-%06d.parquet", dir, d.n))
}

func (d *directory) open(name string) (*os.File, error) {
	if err := d.root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	return d.root.OpenFile(name+partial, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}

// spill creates a file that has no name.
func (d *directory) spill() (*os.File, error) {
	const name = "spill" + partial
	f, err := d.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := d.root.Remove(name); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// publish gives the files their names, and then the directory its own.
func (d *directory) publish() error {
	err := fs.WalkDir(d.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		whole, is := strings.CutSuffix(name, partial)
		if err != nil || e.IsDir() || !is {
			return err
		}
		return d.root.Rename(name, whole)
	})
	if err != nil {
		return err
	}
	if !d.exists {
		return os.Rename(d.work, d.name)
	}
	entries, err := os.ReadDir(d.work)
	if err != nil {
		return err
	}
	for _, e := range entries { // sorted: hosts, then losses.parquet
		to := filepath.Join(d.name, e.Name())
		if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s exists now: it is not replaced", to)
		}
		if err := os.Rename(filepath.Join(d.work, e.Name()), to); err != nil {
			return err
		}
	}
	return os.Remove(d.work)
}

// discard removes what was written and has not been published.
func (d *directory) discard() error {
	d.root.Close()
	return os.RemoveAll(d.work)
}

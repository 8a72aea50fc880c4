package replay

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// TestOpenClosed: who has seen all that he wants closes the file. The symbols, which are
// read ahead, are not missed then.
func TestOpenClosed(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "tracedat", "testdata", "v7-zstd.trace.dat"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	r, err := Open(f, info.Size(), Options{Name: f.Name(), Warn: func(w tracefs.Warning) { said = append(said, w.Text) }})
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if name, _, _, ok := r.Symbol(0xffffffff81000000); ok {
		t.Errorf("%q is read of a file that is closed", name)
	}
	if len(said) > 0 {
		t.Errorf("said: %q", said)
	}
}

// TestSymbolsUnread reads the calls of a recording. The symbols, which take longer than
// the calls of many recordings, are read only if they are asked for.
func TestSymbolsUnread(t *testing.T) {
	const symbol = "ffffffff81000000 T read_of_the_file\n"
	h, pages := readFixture(t)
	h.Version, h.Zstd, h.Kallsyms = 7, false, bytes.Repeat([]byte(symbol), 100_000)
	f, err := os.Create(filepath.Join(t.TempDir(), "trace.dat"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := tracedat.Write(f, h, []tracedat.CPUSource{{Size: int64(len(pages)), Pages: bytes.NewReader(pages)}}); err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for _, ask := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			in := &seen{ReaderAt: f, text: []byte(symbol + symbol)}
			r, err := Open(in, info.Size(), Options{Name: f.Name(), Symbols: ask})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, err := range r.Calls(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			synctest.Wait()
			if in.found.Load() != ask || n == 0 {
				t.Errorf("symbols asked for: %v; read: %v, with %d calls", ask, in.found.Load(), n)
			}
		})
	}
}

// A seen notes whether a text was read.
type seen struct {
	io.ReaderAt
	text  []byte
	found atomic.Bool
}

func (s *seen) ReadAt(b []byte, off int64) (int, error) {
	n, err := s.ReaderAt.ReadAt(b, off)
	if bytes.Contains(b[:n], s.text) {
		s.found.Store(true)
	}
	return n, err
}

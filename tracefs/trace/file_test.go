package trace

import (
	"os"
	"path/filepath"
	"testing"
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
	r, err := Open(f, info.Size(), OpenOptions{Name: f.Name(), Warn: func(w Warning) { said = append(said, w.Text) }})
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

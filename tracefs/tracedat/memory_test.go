package tracedat

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestMemory reads the same pages with little memory, from files that share it, in turn: some
// whole chunks do not fit.
func TestMemory(t *testing.T) {
	for _, name := range []string{"v6.trace.dat", "v7-zstd.trace.dat", "v7-zlib.trace.dat"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		const each = 20 << 10
		m := NewMemory(each)
		plain, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		var files [2]*File
		for i := range files {
			if files[i], err = OpenIn(bytes.NewReader(b), int64(len(b)), m); err != nil {
				t.Fatal(err)
			}
		}
		pages := 0
		for i := range plain.Buffers[0].CPUs {
			want := plain.Buffers[0].CPUs[i].Pages()
			readers := [2]*PageReader{files[0].Buffers[0].CPUs[i].Pages(), files[1].Buffers[0].CPUs[i].Pages()}
			for {
				page, end := want.Next()
				for _, r := range readers {
					if got, err := r.Next(); !bytes.Equal(got, page) || err != end {
						t.Fatalf("%s: CPU %d, page %d: %v, want %v", name, i, pages, err, end)
					}
					if r.c.Compressed && cap(r.out) > each*3/4 {
						t.Errorf("%s: a reader holds %d bytes of pages", name, cap(r.out))
					}
				}
				if end == io.EOF {
					break
				}
				pages++
			}
		}
		if pages < 10 {
			t.Errorf("%s: %d pages", name, pages)
		}
	}
}

// TestShareOf: each CPU has a part of what a file may hold.
func TestShareOf(t *testing.T) {
	if got := NewMemory(100).shareOf(3); got != 33 {
		t.Error(got)
	}
	if got := (*Memory)(nil).shareOf(3); got != 0 {
		t.Error(got)
	}
}

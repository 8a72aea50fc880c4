package record

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// TestRecoverTorn recovers what a power cut has left: a page at the end is a hole, a part
// of it is missing, or the file is longer than what was written. Only whole pages are in
// the file, and Recover counts what is not.
func TestRecoverTorn(t *testing.T) {
	for what, tt := range map[string]struct {
		spoil   func(t *testing.T, f *os.File, size int64)
		pages   int
		missing uint64
	}{
		"nothing":             {func(*testing.T, *os.File, int64) {}, 0, 0},
		"a hole":              {func(t *testing.T, f *os.File, size int64) { f.Truncate(size - pageSize); f.Truncate(size) }, 1, 1},
		"half a page":         {func(t *testing.T, f *os.File, size int64) { f.Truncate(size - pageSize/2) }, 0, 1},
		"half a page, a hole": {func(t *testing.T, f *os.File, size int64) { f.Truncate(size - pageSize + 100); f.Truncate(size) }, 1, 1},
		"longer":              {func(t *testing.T, f *os.File, size int64) { f.Truncate(size + 3*pageSize) }, 3, 0},
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			leftBehind(t, dir)
			_, pages := readFixture(t)
			f, err := os.OpenFile(filepath.Join(dir, "t.dat.cpu1"), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			tt.spoil(t, f, int64(len(pages)))
			r, err := Recover(filepath.Join(dir, "t.dat"), false, nil)
			if err != nil || r.Pages != tt.pages || r.Missing != tt.missing {
				t.Errorf("%+v, %v", r, err)
			}
			t.Logf("%s | FILE.cpu1, at its end | 1 | all whole pages | %d pages left out, %d events missing", what, r.Pages, r.Missing)
			if tt.missing == 0 && !holdsPages(filepath.Join(dir, "t.dat"), pages) {
				t.Error("pages are missing")
			}
			b, err := os.ReadFile(filepath.Join(dir, "t.dat"))
			if err != nil {
				t.Fatal(err)
			}
			if file, err := tracedat.Open(bytes.NewReader(b), int64(len(b))); err != nil || file.Damage != nil {
				t.Error(err, file.Damage)
			}
		})
	}
}

// TestRecoverDamaged recovers what has a flipped bit in its head, or lacks the pages of a CPU:
// the one is refused, the other is reported.
func TestRecoverDamaged(t *testing.T) {
	dir := t.TempDir()
	leftBehind(t, dir)
	head := filepath.Join(dir, "t.dat.head")
	whole, err := os.ReadFile(head)
	if err != nil {
		t.Fatal(err)
	}
	sum, ok := tracedat.ParseSum(whole[len(whole)-tracedat.SumSize:], false)
	if !ok {
		t.Fatal("the head has no checksum")
	}
	for at := 20; at < int(sum.Events); at += 97 {
		bad := bytes.Clone(whole)
		bad[at] ^= 4
		if err := os.WriteFile(head, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Recover(filepath.Join(dir, "t.dat"), false, nil); err == nil {
			t.Fatalf("byte %d of the head is wrong, which is not noticed", at)
		}
	}
	if err := os.WriteFile(head, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "t.dat.cpu1")); err != nil {
		t.Fatal(err)
	}
	r, err := Recover(filepath.Join(dir, "t.dat"), false, nil)
	if err != nil || r.Missing == 0 || len(r.Gone) != 1 || filepath.Base(r.Gone[0]) != "t.dat.cpu1" {
		t.Errorf("%+v, %v", r, err)
	}
}

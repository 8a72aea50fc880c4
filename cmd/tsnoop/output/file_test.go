package output

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCreateFile: new files are for the user only, old ones keep their mode, and links
// of others are not followed.
func TestCreateFile(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	create := func(name string) error {
		f, err := createFile(filepath.Join(dir, name))
		if err == nil {
			f.Close()
		}
		return err
	}
	mode := func(name string, want os.FileMode) {
		t.Helper()
		info, err := os.Stat(filepath.Join(dir, name))
		must(err)
		if info.Mode() != want || info.Size() != 0 {
			t.Errorf("%s has mode %v and %d bytes, want %v and none", name, info.Mode(), info.Size(), want)
		}
	}
	must(create("new"))
	mode("new", 0o600)
	must(os.WriteFile(filepath.Join(dir, "old"), []byte("x"), 0o644))
	must(create("old"))
	mode("old", 0o644)
	must(os.Symlink("target", filepath.Join(dir, "own")))
	must(create("own"))
	mode("target", 0o600)
	if os.Geteuid() != 0 {
		return // nobody else could give links away
	}
	must(os.WriteFile(filepath.Join(dir, "secret"), []byte("x"), 0o644))
	must(os.Symlink("secret", filepath.Join(dir, "trap")))
	must(os.Lchown(filepath.Join(dir, "trap"), 1000, 1000))
	if err := create("trap"); err == nil || !strings.Contains(err.Error(), "is a link that user 1000 has put there") {
		t.Errorf("a link of another user: %v", err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "secret")); err != nil || string(b) != "x" {
		t.Errorf("it was followed: %q, %v", b, err)
	}
}

package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each test that SECURITY.md names for a promise exists.
func TestPromises(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	var source bytes.Buffer
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		source.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile("`(Test\\w+)`").FindAllSubmatch(text, -1) {
		if !bytes.Contains(source.Bytes(), []byte("\nfunc "+string(name[1])+"(t *testing.T)")) {
			t.Errorf("there is no %s", name[1])
		}
	}
}

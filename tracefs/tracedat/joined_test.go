package tracedat

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestJoined: a file that cat(1) has made of two recordings is read as the first one, and
// reports where the second one begins. In version 7 only tsnoop's files end with their
// pages.
func TestJoined(t *testing.T) {
	sample, err := os.ReadFile(filepath.Join("..", "..", "testdata", "recordings", "sample.dat"))
	if err != nil {
		t.Fatal(err)
	}
	h := testHeader(6)
	h.Sums = bytes.NewReader(nil)
	sums := write(t, h, sources(map[int][]byte{3: randomPages(2)}))
	for name, first := range map[string][]byte{"v6": load(t, "v6"), "sample": sample, "checksums": sums} {
		joined := append(bytes.Clone(first), load(t, "v7-none")...)
		f, err := Open(bytes.NewReader(joined), int64(len(joined)))
		if err != nil {
			t.Fatal(err)
		}
		var e *Error
		if !errors.Is(f.Damage, ErrSecond) || !errors.As(f.Damage, &e) || e.Offset != int64(len(first)) {
			t.Errorf("%s: %v", name, f.Damage)
		}
		if f = open(t, first); f.Damage != nil {
			t.Error(f.Damage)
		}
	}
}

//go:build vm

package symbols

import (
	"bytes"
	"errors"
	"math"
	"os"
	"testing"
	"time"
)

// TestVMImage: what the kernel has in its memory are the lines that /proc/kallsyms
// begins with, all of them up to the first of a module or the like.
func TestVMImage(t *testing.T) {
	start := time.Now()
	all, err := readText()
	if err != nil {
		t.Fatal(err)
	}
	slow := time.Since(start)
	start = time.Now()
	image, err := readImage() // where 5.10 has the tables it does not tell
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d symbols in %v, /proc/kallsyms takes %v", image.n, time.Since(start), slow)
	text := image.text(math.MaxInt)
	if !bytes.HasPrefix(all, text) {
		for i, line := range bytes.SplitAfter(text, []byte("\n")) {
			if !bytes.HasPrefix(all, line) {
				next, _, _ := bytes.Cut(all, []byte("\n"))
				t.Fatalf("line %d is %q, not %q", i+1, line, next)
			}
			all = all[len(line):]
		}
	}
	for l := range lines(all[len(text):]) {
		if l.module == nil {
			t.Fatalf("%s is not among them", l.name)
		}
	}
	same(t, image, text, 200, 2)
	if err := os.WriteFile("/proc/sys/kernel/kptr_restrict", []byte("2"), 0); err != nil {
		t.Fatal(err)
	}
	defer os.WriteFile("/proc/sys/kernel/kptr_restrict", []byte("0"), 0)
	if _, err := readImage(); !errors.Is(err, errNoImage) {
		t.Errorf("with kptr_restrict: got error %v, want errNoImage", err)
	}
}

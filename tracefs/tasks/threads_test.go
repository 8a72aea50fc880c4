package tasks

import (
	"os"
	"slices"
	"testing"
)

// TestFamily asks for the descendants of this program's parent: this one is none of them,
// unless it is named.
func TestFamily(t *testing.T) {
	for _, c := range []struct {
		named []int
		self  bool
	}{
		{[]int{os.Getppid()}, false},
		{[]int{os.Getppid(), os.Getpid()}, true},
		{[]int{os.Getpid()}, true},
	} {
		tids, err := Family(c.named, true)
		if err != nil {
			t.Fatal(err)
		}
		if self := slices.Contains(tids, os.Getpid()); self != c.self || !slices.Contains(tids, c.named[0]) {
			t.Errorf("family(%v) of %d = %v", c.named, os.Getpid(), tids)
		}
	}
}

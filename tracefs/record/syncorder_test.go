package record

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checkOrder checks what is on the disk at each step of a victim that made these calls: the
// head and its name before the first page, the pages and their names when they were taken,
// and FILE before it gets its name and before anything is removed.
func checkOrder(t *testing.T, victim string, calls []string) {
	t.Helper()
	var made []string // "sync t.dat.head", "sync ." for the directory
	for _, call := range calls {
		if changes.MatchString(call) {
			words := strings.Fields(call)
			file := filepath.Base(words[2])
			if !strings.HasPrefix(file, "t.dat") {
				file = "."
			}
			made = append(made, words[1]+" "+file)
		}
	}
	for _, steps := range stepsOf(victim) {
		if !inOrder(made, steps...) {
			t.Errorf("not in this order: %s\n%s", strings.Join(steps, ", "), strings.Join(made, "\n"))
		}
	}
	renamed := slices.Index(made, "rename t.dat.tmp")
	for i, call := range made {
		switch word, file, _ := strings.Cut(call, " "); word {
		case "write", "pwrite", "copy":
			if !slices.Contains(made[i:], "sync "+file) {
				t.Errorf("no sync follows %s\n%s", call, strings.Join(made, "\n"))
			}
		case "unlink":
			if i < renamed {
				t.Errorf("%s comes before the file is made\n%s", call, strings.Join(made, "\n"))
			}
		}
	}
}

// stepsOf returns calls that a victim makes, each list in its order.
func stepsOf(victim string) (lists [][]string) {
	if victim == "recover what is complete" { // by a recorder that has synced it
		return nil
	}
	if victim == "record" {
		lists = append(lists, []string{"write t.dat.head", "sync t.dat.head", "sync .", "open t.dat.sum", "open t.dat.cpu0"})
		for _, file := range []string{"t.dat.sum", "t.dat.sym", "t.dat.cpu0", "t.dat.cpu1", "t.dat.cpu2"} {
			lists = append(lists, []string{"open " + file, "write " + file, "sync " + file, "sync .", "open t.dat.tmp"})
		}
	}
	return append(lists, []string{"open t.dat.tmp", "sync t.dat.tmp", "rename t.dat.tmp", "sync .", "unlink t.dat.cpu0", "unlink t.dat.head"})
}

// inOrder reports whether the calls contain these, in this order.
func inOrder(calls []string, want ...string) bool {
	for _, call := range calls {
		if len(want) > 0 && call == want[0] {
			want = want[1:]
		}
	}
	return len(want) == 0
}

package fetchargs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// BenchmarkResolve makes the plans of the golden files.
func BenchmarkResolve(b *testing.B) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		b.Fatal("no golden files: ", err)
	}
	type job struct {
		c     *golden
		specs []*spec.Spec
	}
	var jobs []job
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		archive := txtar.Parse(text)
		j := job{c: newGolden(b, section(archive, "target"))}
		for line := range strings.Lines(section(archive, "specs")) {
			if s, err := spec.Parse(strings.TrimSpace(line)); err == nil {
				j.specs = append(j.specs, s)
			}
		}
		jobs = append(jobs, j)
	}
	for b.Loop() {
		for _, j := range jobs {
			for _, s := range j.specs {
				fetchargs.Resolve([]*spec.Spec{s}, j.c.target) // many of them are wrong
			}
		}
	}
}

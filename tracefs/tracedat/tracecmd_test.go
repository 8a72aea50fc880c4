package tracedat

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// report returns what trace-cmd report prints, which must not be a warning.
func report(t *testing.T, file string) string {
	t.Helper()
	var stderr bytes.Buffer
	// -t: nanoseconds. -N: no plugins, neither the user's nor the system's.
	cmd := exec.Command("trace-cmd", "report", "-t", "-N", "-i", file)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("trace-cmd report: %v\n%s", err, &stderr)
	}
	return string(out)
}

func needTraceCmd(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("trace-cmd"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("no trace-cmd: apt-get install trace-cmd")
		}
		t.Skip("no trace-cmd: apt-get install trace-cmd")
	}
}

// copyOf returns what Write needs to write a file again.
func copyOf(t *testing.T, f *File) (*Header, []CPUSource) {
	t.Helper()
	h, err := f.Header()
	if err != nil {
		t.Fatal(err)
	}
	h.Recorder, h.Tsnoop = "tsnoop 1", []byte("ours")
	pages := map[int][]byte{}
	for i := range f.Buffers[0].CPUs {
		b, err := readAll(&f.Buffers[0].CPUs[i])
		if err != nil {
			t.Fatal(err)
		}
		pages[f.Buffers[0].CPUs[i].ID] = b
	}
	h.Sums = bytes.NewReader(sumsOf(pages))
	return h, sources(pages)
}

// sumsOf returns the checksums of pages.
func sumsOf(pages map[int][]byte) (sums []byte) {
	for id, b := range pages {
		for i := 0; i < len(b); i += 4096 {
			sums = Sum{id, i / 4096, 1, CRC(b[i : i+4096])}.Append(sums, false)
		}
	}
	return sums
}

// TestTraceCmdConvert converts files with checksums: the pages are intact afterwards, and
// none is taken for damaged.
func TestTraceCmdConvert(t *testing.T) {
	needTraceCmd(t)
	for _, version := range []int{6, 7} {
		h, cpus := copyOf(t, open(t, load(t, "v6")))
		h.Version = version
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
		if err := os.WriteFile(in, write(t, h, cpus), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"--file-version", "7", "--compression", "zstd"}, {"--file-version", "7", "--compression", "none"}, {"--file-version", "6"}} {
			if version == 7 && args[1] == "6" {
				continue
			}
			if said, err := exec.Command("trace-cmd", append([]string{"convert", "-i", in, "-o", out}, args...)...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", args, err, said)
			}
			b, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if f, n := wholePages(t, b, soundPages(t, load(t, "v6"))); f.Damage != nil || n != 20 {
				t.Errorf("version %d, %v: %d pages, %v", version, args, n, f.Damage)
			}
		}
	}
}

// trace-cmd prints the same of what was written from a file's pages as of that.
func TestTraceCmdReport(t *testing.T) {
	needTraceCmd(t)
	want := report(t, filepath.Join("testdata", "v6.trace.dat"))
	for _, s := range []string{"cpus=2\n", "gop-161 ", ": seekr: ", "[001]    10.104604"} {
		if !strings.Contains(want, s) {
			t.Fatalf("no %q in the report", s)
		}
	}
	for _, form := range []struct {
		name    string
		version int
		zstd    bool
	}{{"v6", 6, false}, {"v7-none", 7, false}, {"v7-zstd", 7, true}} {
		h, cpus := copyOf(t, open(t, load(t, "v6")))
		h.Version, h.Zstd = form.version, form.zstd
		file := filepath.Join(t.TempDir(), form.name)
		if err := os.WriteFile(file, write(t, h, cpus), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := report(t, file); got != want {
			t.Errorf("%s: %s", form.name, cmp.Diff(want, got))
		}
		for _, flag := range []string{"--all", "--summary"} {
			out, err := exec.Command("trace-cmd", "dump", flag, "-i", file).CombinedOutput()
			if err != nil || bytes.Contains(out, []byte("cannot")) {
				t.Errorf("%s: trace-cmd dump %s: %v\n%.300s", form.name, flag, err, out)
			}
		}
	}
}

// More CPUs than have data, a CPU without any between others, another clock.
func TestTraceCmdSparse(t *testing.T) {
	needTraceCmd(t)
	want := strings.Count(report(t, filepath.Join("testdata", "v6.trace.dat")), "\n") - 1
	for _, version := range []int{6, 7} {
		for _, zstd := range []bool{false, version == 7} {
			h, cpus := copyOf(t, open(t, load(t, "v6")))
			h.Version, h.Zstd, h.Clock, h.CPUs = version, zstd, "mono", 8
			for i := range cpus {
				cpus[i].ID = 1 + 3*cpus[i].ID
			}
			file := filepath.Join(t.TempDir(), "trace.dat")
			if err := os.WriteFile(file, write(t, h, cpus), 0o600); err != nil {
				t.Fatal(err)
			}
			got := report(t, file)
			if n := strings.Count(got, ": seek"); n != want || !strings.Contains(got, "[001]") || !strings.Contains(got, "[004]    10.104604") {
				t.Errorf("version %d, zstd %t: %d events, want %d\n%.500s", version, zstd, n, want, got)
			}
		}
	}
}

// TestTraceCmdInstance: trace-cmd can read the files that the tests of instances use.
func TestTraceCmdInstance(t *testing.T) {
	needTraceCmd(t)
	file := filepath.Join(t.TempDir(), "trace.dat")
	if err := os.WriteFile(file, withInstance(t, load(t, "v7-zstd")), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("trace-cmd", "dump", "--summary", "-i", file).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(`[buffer "inst", "mono" clock, 8192 page size, 1 cpus, 8192 bytes flyrecord data]`)) {
		t.Errorf("%v\n%s", err, out)
	}
}

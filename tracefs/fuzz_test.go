package tracefs

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// seed adds the recorded files that match.
func seed(f *testing.F, pattern string) {
	f.Helper()
	files, err := filepath.Glob("../testdata/tracefs/*/" + pattern)
	if err != nil || len(files) == 0 {
		f.Fatalf("no recorded %s: %v", pattern, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
}

// fuzz has parse read anything; it may refuse but must not panic.
func fuzz[T any](f *testing.F, pattern string, parse func(io.Reader) (T, error), check func(*testing.T, T)) {
	seed(f, pattern)
	badinput.Fuzz(f, func(t *testing.T, b []byte) {
		if v, err := parse(bytes.NewReader(b)); err == nil && check != nil {
			check(t, v)
		}
	})
}

func FuzzParseFormat(f *testing.F) {
	fuzz(f, "instances/*/events/*/*/format", ParseFormat, func(t *testing.T, v *Format) {
		for _, x := range v.Fields {
			if x.Name == "" || x.Offset < 0 || x.Size < 0 || x.Offset+x.Size > v.Size {
				t.Errorf("field %+v in a record of %d bytes", x, v.Size)
			}
		}
	})
}

func FuzzParseErrorLog(f *testing.F) {
	fuzz(f, "error_log", ParseErrorLog, func(t *testing.T, log []LogEntry) {
		for _, e := range log {
			if e.Column < -1 || e.Column > len(e.Command) {
				t.Errorf("column of %+v", e)
			}
		}
	})
}

func FuzzParseFilterError(f *testing.F) {
	fuzz(f, "refused_filter", parseFilterError, func(t *testing.T, e LogEntry) {
		if e.Column < -1 || e.Column > len(e.Command) {
			t.Errorf("column of %+v", e)
		}
	})
}

func FuzzParseFeatures(f *testing.F) { fuzz(f, "README", ParseFeatures, nil) }
func FuzzParseProbes(f *testing.F)   { fuzz(f, "kprobe_events", ParseProbes, nil) }
func FuzzParseProfile(f *testing.F)  { fuzz(f, "kprobe_profile", ParseProfile, nil) }
func FuzzParseStats(f *testing.F) {
	fuzz(f, "instances/*/per_cpu/cpu*/stats", ParseCPUStats, nil)
}
func FuzzParseMounts(f *testing.F)     { fuzz(f, "mounts", ParseMounts, nil) }
func FuzzParseHeaderPage(f *testing.F) { fuzz(f, "events/header_page", ParseHeaderPage, nil) }

func TestParseFormatRefuses(t *testing.T) {
	for _, text := range []string{
		"", "name: x\n", "ID: 1\n", "name: x\nID: 99999\n", "name: x\nID: -1\n", "name: x\nID: 1\n\tfield:u8 a;\toffset:1;\n",
		"name: x\nID: 1\n\tfield:u8 a;\toffset:99999999999;\tsize:1;\tsigned:0;\n", "name: x\nID: 1\n\tfield:;\toffset:1;\tsize:1;\n",
	} {
		if f, err := ParseFormat(bytes.NewReader([]byte(text))); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: got %+v, %v, want ErrFormat", text, f, err)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tsnoop/tsnoop/cmd/program"
)

// TestMain lets the test binary be the program that scripts call.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){name: main})
}

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			wd, err := os.Getwd()
			env.Setenv("RECORDINGS", filepath.Join(wd, "../../testdata/recordings"))
			return err
		},
	})
}

// Help has every output and flag, and no line is longer than a terminal is wide.
func TestHelp(t *testing.T) {
	text, o := usage(), &options{}
	for _, k := range o.kinds() {
		if !strings.Contains(text, "\n  "+k.name+" ") {
			t.Errorf("help has no %s", k.name)
		}
		for _, f := range k.rows {
			if f.Takes != "" && !strings.HasPrefix(f.Example, name+" "+k.name+" ") {
				t.Errorf("%s has the example %q", f.Name, f.Example)
			}
		}
	}
	for line := range strings.Lines(text) {
		if len(line) > 81 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
	var flags []program.Row
	for _, s := range o.sections() {
		flags = append(flags, s.Rows...)
	}
	for _, f := range flags {
		if !strings.Contains(text, " --"+f.Name) {
			t.Errorf("help has no --%s", f.Name)
		}
	}
	if roff := page().Roff(); !strings.Contains(roff, ".SH OUTPUTS") || !strings.Contains(roff, `\-\-weight`) {
		t.Errorf("the manual is\n%s", roff)
	}
}

// A word is completed to outputs, their flags and values, and files.
func TestComplete(t *testing.T) {
	for _, tt := range []struct {
		line string
		kind string
		want []string
	}{
		{"fo", "words", []string{"folded"}},
		{"folded --we", "words", []string{"--weight"}},
		{"folded --weight ", "words", []string{"calls", "ns"}},
		{"folded --weight=n", "words", []string{"--weight=ns"}},
		{"folded -o ", "files", nil},
		{"par", "words", []string{"parquet"}},
		{"parquet --out ", "files", nil},
		{"folded ", "files", nil},
		{"otlp --ne", "words", []string{"--nest"}},
		{"completion z", "words", []string{"zsh"}},
		{"nothing ", "words", nil},
	} {
		a := words(strings.Split(tt.line, " "))
		var got []string
		for _, w := range a.Words {
			got = append(got, w.Text)
		}
		if string(a.Kind) != tt.kind || strings.Join(got, " ") != strings.Join(tt.want, " ") {
			t.Errorf("%q: %s %q, want %s %q", tt.line, a.Kind, got, tt.kind, tt.want)
		}
	}
}

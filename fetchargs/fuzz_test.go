package fetchargs_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/emit"
	"github.com/tsnoop/tsnoop/fetchargs/explain"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/store"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// printedLine is what a line for kprobe_events looks like: a definition or a comment.
var printedLine = regexp.MustCompile(`^([prft][0-9]*:tsnoop/[A-Za-z0-9_]+ |#)`)

// FuzzResolve resolves any text. It is refused with errors that have places in it, or
// becomes definitions, each of which is one line that can be read on a terminal and
// pasted into a shell, and a plan that can be saved.
func FuzzResolve(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for i, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, line := range strings.Split(section(archive, "specs"), "\n") {
			if len(line) < 200 && i%4 == 0 { // many small ones make a fuzzer slow
				f.Add(line, byte(i))
			}
		}
	}
	f.Add("dev_open(filename ~ \"/tmp/\nr:x\") if $comm == \"\x1b[2J\u202e\"", byte(2))
	f.Add("pkt_rcv(\nx=pkt->len)", byte(3))
	kernel := btf.Open(filepath.Join("..", "testdata", "btf", "sample.btf"))
	badinput.Fuzz(f, func(t *testing.T, text string, way byte) {
		if len(text) > 4096 {
			return
		}
		resolveAny(t, kernel, text, way)
	})
}

// resolveAny resolves text for one of some kernels, and checks what comes of it.
func resolveAny(t *testing.T, kernel *btf.Kernel, text string, way byte) {
	parsed, err := spec.Parse(text)
	if err != nil {
		return // FuzzParse looks at these
	}
	target := &target.Target{
		Kernel: kernel, Arch: abi.Named([]string{"amd64", "arm64"}[way&1]), Live: way&2 != 0, Calls: way&2 != 0,
		Deep: way&4 != 0, Pair: way&8 != 0,
	}
	target.Features, _ = dynevent.FeaturesOf([]string{"6.12", "5.10"}[way>>4&1])
	plans, err := fetchargs.Resolve([]*spec.Spec{parsed}, target)
	if err != nil {
		checkPlaces(t, text, err)
		return
	}
	saved, err := store.Save(plans)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if _, err := store.Load(saved); err != nil {
		t.Errorf("%q: %v\n%s", text, err, saved)
	}
	var lines, script, explained bytes.Buffer
	emit.Tracefs(&lines, plans, "tsnoop", emit.Scope{})
	emit.Shell(&script, plans, "tsnoop", emit.Scope{})
	emit.Boot(&script, plans, "tsnoop", "") // an error where it cannot be said so
	for _, p := range plans {
		explain.Write(&explained, p)
	}
	if target.Live { // what is given to the kernel only has classes of bytes
		return
	}
	readable(t, text, lines.String())
	readable(t, text, strings.ReplaceAll(script.String(), "\t", "")) // a bootconfig is indented
	readable(t, text, explained.String())
	for line := range strings.Lines(lines.String()) {
		if !printedLine.MatchString(line) {
			t.Errorf("%q gives the line %q", text, line)
		}
	}
}

// checkPlaces checks that an error says where in the text it is.
func checkPlaces(t *testing.T, text string, err error) {
	var errs spec.Errors
	if !errors.As(err, &errs) || len(errs) == 0 {
		t.Fatalf("%q: %T %v, want spec.Errors", text, err, err)
	}
	for _, e := range errs {
		if e.Pos < 0 || e.End < e.Pos || e.End > len(text) {
			t.Errorf("%q: %q is at %v, outside the text", text, e.Msg, e.Span)
		}
	}
}

// readable checks that what was printed cannot act on a terminal.
func readable(t *testing.T, text, printed string) {
	for i, r := range printed {
		if r == utf8.RuneError || r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%q: %q in %q", text, r, printed[max(0, i-40):min(len(printed), i+8)])
			return
		}
	}
}

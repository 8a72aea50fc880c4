package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/tracefs"
)

// TestUITogether: messages of several goroutines come line by line, and over the line
// that is drawn: everything is written under one lock.
func TestUITogether(t *testing.T) {
	var said bytes.Buffer // racy by itself
	u := &UI{Stderr: &said, Verbose: true}
	var all sync.WaitGroup
	for _, say := range []func(){
		func() { u.Warn("a warning of %d", 100) },
		func() { u.Detail("a detail") },
		func() { u.Hint("a hint") },
		func() { u.draw("drawn") },
		func() { u.draw("") },
	} {
		all.Go(func() {
			for range 200 {
				say()
			}
		})
	}
	all.Wait()
	u.draw("")
	for line := range strings.Lines(strings.ReplaceAll(said.String(), "drawn\r\x1b[K", "")) {
		switch line {
		case "tsnoop: a warning of 100\n", "tsnoop: a detail\n", "hint: a hint\n":
		default:
			t.Fatalf("%q", line)
		}
	}
}

// TestUICalm: what a file, the kernel or another user has named ends no line and does not
// act on the terminal, wherever it is in a message.
func TestUICalm(t *testing.T) {
	const bad = "a\x1b[2Jb\r\nhint: rm \\n\x07\u202e\xff"
	const calm = `a\x1b[2Jb\r\nhint: rm \n\a\u202e\xff`
	for want, say := range map[string]func(*UI){
		"tsnoop: " + calm + " is:\n": func(u *UI) { u.Warn("%s is:", bad) },
		"tsnoop: " + calm + ".\n":    func(u *UI) { u.Detail("%s.", bad) },
		"hint: " + calm + "\n":       func(u *UI) { u.Hint(bad) },
		calm:                         func(u *UI) { u.draw(bad) },
		"tsnoop: " + calm + "; -v shows more; a bigger buffer helps: -b 2M\n": func(u *UI) { u.PrintWarning(tracefs.Warning{Text: bad, More: true, BufferKB: 1024}) },
		"tsnoop: " + calm + " (-v)\n":                                         func(u *UI) { u.PrintWarning(tracefs.Warning{Text: bad + " (-v)", Detail: true}) },
		"tsnoop: open " + calm + ": file does not exist\n":                    func(u *UI) { u.Report(&os.PathError{Op: "open", Path: bad, Err: os.ErrNotExist}) },
		"tsnoop: 1: " + calm + "\ntsnoop: 2\n": func(u *UI) {
			u.Report(errors.Join(errors.Join(fmt.Errorf("%d: %w", 1, errors.New(bad)), nil), errors.New("2")))
		},
		"tsnoop: " + calm + "\nhint: is " + calm + "\n":    func(u *UI) { u.Report(program.Errorf("is "+bad, "%s", bad)) },
		"tsnoop: no " + calm + "\nhint: of " + calm + "\n": func(u *UI) { u.Report(&tracefs.HostError{Msg: "no " + bad, Hint: "of " + bad}) },
		"tsnoop: " + calm + ":1: " + calm + "\n    f(a)\n      ^\nhint: did you mean " + calm + "?\n": func(u *UI) {
			u.Report(spec.Errors{{Text: "f(a)", Span: spec.Span{Pos: 2, End: 3}, Where: bad + ":1", Msg: bad, Hint: "did you mean " + bad + "?"}})
		},
		"tsnoop: f: " + calm + "\n": func(u *UI) {
			u.Notes([]*plan.Plan{{Spec: &spec.Spec{Func: spec.Name{Text: "f"}}, Notes: []string{bad}}})
		},
	} {
		var said bytes.Buffer
		if say(&UI{Stderr: &said, Verbose: true}); said.String() != want {
			t.Errorf("%q, want %q", said.String(), want)
		}
	}
}

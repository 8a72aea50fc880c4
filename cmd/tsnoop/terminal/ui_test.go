package terminal

import (
	"bytes"
	"strings"
	"sync"
	"testing"
)

// What several goroutines say comes line by line, and over the line that is
// drawn: all that is written is written under one lock.
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

// Names from a file or the kernel do not act on the terminal.
func TestUICalm(t *testing.T) {
	var said bytes.Buffer
	u := &UI{Stderr: &said}
	u.Warn("%s\nsecond \\n", "a\x1b[2Jb\r")
	u.Hint("h\x07")
	if want := "tsnoop: a\\x1b[2Jb\\r\nsecond \\n\nhint: h\\a\n"; said.String() != want {
		t.Errorf("%q, want %q", said.String(), want)
	}
}

package render_test

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/text"
)

func say(s string) func([]byte) []byte {
	return func(dst []byte) []byte { return append(dst, s...) }
}

// A buffer may be read while it is written.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// Lines are written together, but none waits for long; for people each is written at once.
func TestStream(t *testing.T) {
	for _, people := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var out buffer
			s := render.NewStream(&out, text.New(nil, render.Options{}), people)
			s.Append(say("a\n"))
			if wrote := out.String() != ""; wrote != people {
				t.Errorf("people %v: wrote %q at once", people, out.String())
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if out.String() != "a\n" {
				t.Errorf("people %v: after a second %q", people, out.String())
			}
			big := string(bytes.Repeat([]byte("b"), 64<<10))
			s.Append(say(big))
			if n := len(out.String()); n != 2+len(big) {
				t.Errorf("people %v: %d bytes of a full buffer", people, n)
			}
			s.Append(say("c\n"))
			if err := s.Close(); err != nil || !strings.HasSuffix(out.String(), "bc\n") {
				t.Errorf("people %v: %v, %q", people, err, out.String()[64<<10:])
			}
		})
	}
}

// A brokenWriter takes so many writes.
type brokenWriter struct {
	n   int
	err error
}

func (w *brokenWriter) Write(b []byte) (int, error) {
	if w.n--; w.n < 0 {
		return 0, w.err
	}
	return len(b), nil
}

// After an error nothing more is wanted, and the error is kept.
func TestStreamBroken(t *testing.T) {
	w := &brokenWriter{n: 1, err: errors.New("the disk is full")}
	s := render.NewStream(w, text.New(nil, render.Options{}), true)
	for i, want := range []bool{true, false, false} {
		if got := s.Append(say("x\n")); got != want {
			t.Errorf("line %d: more is wanted: %v", i, got)
		}
	}
	if err := s.Flush(); err != w.err {
		t.Errorf("Flush: %v", err)
	}
	if err := s.Close(); err != w.err || w.n != -1 {
		t.Errorf("Close: %v, after %d more writes", err, -1-w.n)
	}
}

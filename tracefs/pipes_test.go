package tracefs

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// TestUnpolled tests that a read of what is empty comes back: were the file the
// poller's, it would wait for ever.
func TestUnpolled(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	quiet, err := unpolled(r)
	if err != nil {
		t.Fatal(err)
	}
	defer quiet.Close()
	r.Close()
	b := make([]byte, 8)
	if n, err := quiet.Read(b); !errors.Is(err, syscall.EAGAIN) {
		t.Errorf("empty: got %d bytes, %v, want EAGAIN", n, err)
	}
	w.Write([]byte("abc"))
	if n, err := quiet.Read(b); string(b[:n]) != "abc" || err != nil {
		t.Errorf("got %q, %v", b[:n], err)
	}
}

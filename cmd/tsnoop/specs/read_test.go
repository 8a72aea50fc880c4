package specs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"golang.org/x/sys/unix"
)

// TestFileAndCommand has specs from a file, typed ones, and a command.
func TestFileAndCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "specs")
	if err := os.WriteFile(file, []byte("a(x)\nb(y)\nc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, typed := range [][]string{nil, {"d"}} {
		args := append(append([]string{"-F", file}, typed...), "--", "load", "seek", "1")
		o, err := flags.Parse(args)
		if err == nil {
			err = Read(o)
		}
		if want := append(slices.Clone(typed), "a(x)", "b(y)", "c"); err != nil || !slices.Equal(o.Args, want) {
			t.Errorf("%q: specs %q, %v; want %q", args, o.Args, err, want)
		}
		if want := []string{"load", "seek", "1"}; !slices.Equal(o.Program, want) {
			t.Errorf("%q: command %q, want %q", args, o.Program, want)
		}
	}
}

// TestWatchFIFO: --reload refuses what can be read only once, and does not wait for it.
func TestWatchFIFO(t *testing.T) {
	dir := t.TempDir()
	fifo, good := filepath.Join(dir, "fifo"), filepath.Join(dir, "good")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(good, []byte("a(x)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		good: "", fifo: fifo + " is not a regular file", "/dev/zero": "/dev/zero is not a regular file", dir: dir + " is not a regular file", "-": "- is not a regular file",
	} {
		o, err := flags.Parse([]string{"--reload", "-F", name})
		if err == nil {
			err = Read(o)
		}
		var wrong *flags.Error
		if want == "" && err != nil || want != "" && (!errors.As(err, &wrong) || !strings.HasPrefix(wrong.Msg, "--reload: "+want) || wrong.Hint == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Nor may it wait when the file becomes a FIFO while it is watched.
	if _, err := readWatched(fifo); err == nil {
		t.Error("a FIFO was read again")
	}
}

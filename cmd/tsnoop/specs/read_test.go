package specs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
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

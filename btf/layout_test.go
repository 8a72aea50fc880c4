package btf_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLayout(t *testing.T) {
	k := withModule()
	var got strings.Builder
	for _, name := range []string{
		"struct pkt", "struct dev", "struct in6_addr", "struct ops", "struct mod_priv", "struct mod_frame", "const struct small",
		"enum pkt_kind", "enum level", "atomic_t", "refcount_t", "u32", "struct pkt *", "char *[4]", "struct sock", "void",
	} {
		got.WriteString("== " + name + "\n")
		if err := k.Layout(&got, mustType(t, k, name)); err != nil {
			t.Errorf("Layout(%s): %v", name, err)
		}
	}
	golden := filepath.Join("testdata", "layout.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

var errFull = errors.New("disk full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestLayoutWriteError(t *testing.T) {
	k := sample()
	if err := k.Layout(fullDisk{}, mustType(t, k, "struct pkt")); !errors.Is(err, errFull) {
		t.Errorf("Layout to a full disk: %v, want %v", err, errFull)
	}
}

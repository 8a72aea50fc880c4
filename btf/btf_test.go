package btf_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	cbtf "github.com/cilium/ebpf/btf"
	"github.com/tsnoop/tsnoop/btf"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var (
	sampleFile = filepath.Join("..", "testdata", "btf", "sample.btf")
	moduleFile = filepath.Join("testdata", "snoop-mod.btf") // on top of sampleFile
)

func sample() *btf.Kernel     { return btf.Open(sampleFile) }
func withModule() *btf.Kernel { return btf.Open(sampleFile, moduleFile) }

// built returns a kernel of types that no compiler wrote.
func built(t *testing.T, types ...btf.Type) *btf.Kernel {
	t.Helper()
	b, err := cbtf.NewBuilder(types, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := b.Marshal(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return btf.Open(writeFile(t, "built.btf", raw))
}

func writeFile(t *testing.T, name string, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func mustType(t testing.TB, k *btf.Kernel, name string) btf.Type {
	t.Helper()
	typ, err := k.Type(name)
	if err != nil {
		t.Fatalf("Type(%q): %v", name, err)
	}
	return typ
}

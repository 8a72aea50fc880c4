package btf

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestDirectory reads a directory as the running kernel has one in sysfs.
func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	k := &Kernel{dir: dir}
	if _, err := k.Func("", "pkt_rcv"); !errors.Is(err, ErrNoBTF) {
		t.Errorf("Func in an empty directory: %v, want %v", err, ErrNoBTF)
	}
	for name, source := range map[string]string{
		"vmlinux":   filepath.Join("..", "testdata", "btf", "sample.btf"),
		"snoop_mod": filepath.Join("testdata", "snoop-mod.btf"),
	} {
		data, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	k = &Kernel{dir: dir}
	for name, module := range map[string]string{"pkt_rcv": "", "mod_rcv": "snoop_mod"} {
		f, err := k.Func("", name)
		if err != nil {
			t.Errorf("Func(%s): %v", name, err)
		} else if f.Module != module {
			t.Errorf("Func(%s) is of module %q, want %q", name, f.Module, module)
		}
	}
}

// TestModulesAreLazy: a module is read when a question needs it.
func TestModulesAreLazy(t *testing.T) {
	k := Open(filepath.Join("..", "testdata", "btf", "sample.btf"), filepath.Join("testdata", "snoop-mod.btf"))
	if _, err := k.Func("", "pkt_rcv"); err != nil {
		t.Fatal(err)
	}
	if len(k.modules) > 0 {
		t.Errorf("Func(pkt_rcv) read %d modules, want none", len(k.modules))
	}
	if k.base.names != nil {
		t.Error("Func(pkt_rcv) decoded every type")
	}
}

package arm

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// TestReloadingReads: the list of functions, which the kernel takes long to write, is
// read once for all edits of a file of specs, and again when other modules have come.
func TestReloadingReads(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, "available_filter_functions")
	for name, text := range map[string]string{"kprobe_events": "", "kprobe_profile": "", filepath.Base(list): "vfs_read\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fs, err := tracefs.At(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &Reloader{}
	r.know(host.New(fs), proc.ModuleNames())
	first := r.host
	has := func(name string) bool {
		if slices.Equal(r.modules, proc.ModuleNames()) && r.today() != first {
			t.Fatal("another host, with the same modules")
		}
		return r.host.Traceable()("", name)
	}
	if !has("vfs_read") {
		t.Error("vfs_read is not there")
	}
	if err := os.WriteFile(list, []byte("vfs_write\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !has("vfs_read") || has("vfs_write") {
		t.Error("the list is read again")
	}
	r.modules = append(r.modules, "gone")
	if r.today() == first || !r.host.Traceable()("", "vfs_write") {
		t.Error("the list is not read again for other modules")
	}
}

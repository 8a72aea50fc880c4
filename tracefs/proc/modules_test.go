package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestModuleFile(t *testing.T) {
	const list = "kernel/fs/nfs/nfs.ko.xz: kernel/net/sunrpc/sunrpc.ko.xz\nkernel/drivers/md/dm-mod.ko:\nextra/drv.ko.zst: kernel/x.ko\n/abs/own.ko:\n"
	for name, want := range map[string]string{
		"nfs": "kernel/fs/nfs/nfs.ko.xz", "dm-mod": "kernel/drivers/md/dm-mod.ko", "dm_mod": "kernel/drivers/md/dm-mod.ko",
		"drv": "extra/drv.ko.zst", "own": "/abs/own.ko", "sunrpc": "", "x": "", "": "",
	} {
		if got := moduleFile(list, name); got != want {
			t.Errorf("%q is in %q, want %q", name, got, want)
		}
	}
}

// TestUnpacked reads a file as it is and packed by each program that is here.
func TestUnpacked(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "m.ko")
	if err := os.WriteFile(plain, []byte("\x7fELF and so on"), 0o644); err != nil {
		t.Fatal(err)
	}
	files := []string{plain}
	for ext, program := range unpackers {
		out, err := exec.Command(program, "-c", plain).Output()
		if err != nil {
			t.Logf("no %s here: %v", program, err)
			continue
		}
		if err := os.WriteFile(plain+ext, out, 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, plain+ext)
	}
	for _, file := range files {
		if b, err := unpacked(file); err != nil || string(b) != "\x7fELF and so on" {
			t.Errorf("%s: %q, %v", file, b, err)
		}
	}
	if _, err := unpacked(plain + ".none.gz"); err == nil {
		t.Error("a file that is not there was unpacked")
	}
}

package tracefs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRecordedMounts(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel string, fsys *FS) {
		if dir := chooseMount(parsed(t, fsys, "mounts", ParseMounts)); dir != defaultMount {
			t.Errorf("got mount %q", dir)
		}
	})
}

func TestAt(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		dir, file, want string
	}{
		{dir: filepath.Join(dir, "nosuch"), want: "no tracefs at " + filepath.Join(dir, "nosuch") + " (leave out --tracefs, or give the directory that findmnt -t tracefs shows)"},
		{dir: dir, want: "no tracefs at " + dir + " (leave out --tracefs, or give the directory that findmnt -t tracefs shows)"},
		{dir: dir, file: "README", want: "this kernel records no events (boot a kernel with CONFIG_KPROBE_EVENTS=y)"},
		{dir: dir, file: "set_event"},
		{dir: dir, file: "kprobe_events"},
	} {
		if tt.file != "" {
			if err := os.WriteFile(filepath.Join(dir, tt.file), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var got string
		if _, err := At(tt.dir); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("At(%s) with %q: got %q, want %q", tt.dir, tt.file, got, tt.want)
		}
	}
}

// TestGone looks for a file that goes away after the tracefs was found: the error is about
// the file.
func TestGone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "kprobe_events")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fsys, err := At(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := fsys.Writable(); err == nil || !strings.Contains(err.Error(), "kprobe_events") {
		t.Errorf("got %v, want the name of the file", err)
	}
}

func TestChooseMount(t *testing.T) {
	for _, tt := range []struct{ mounts, want string }{
		{"", ""},
		{"none /t\\040r tracefs rw 0 0\n", "/t r"},
		{"none /a tracefs rw 0 0\nnone /sys/kernel/tracing tracefs rw 0 0\n", defaultMount},
		{"none /nosuch debugfs rw 0 0\nnone /a tracefs rw 0 0\n", "/a"},
		{"proc /proc proc rw 0 0\n", ""},
	} {
		m, err := ParseMounts(strings.NewReader(tt.mounts))
		if got := chooseMount(m); got != tt.want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", tt.mounts, got, err, tt.want)
		}
	}
}

func TestLockedDown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lockdown")
	for text, want := range map[string]bool{
		"none integrity [confidentiality]\n": true, "none [integrity] confidentiality\n": false, "[none] integrity confidentiality\n": false,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := lockedDown(file); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

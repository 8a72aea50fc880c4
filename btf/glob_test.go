package btf

import (
	"path"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/testdata/badinput"
)

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"vfs_*", "vfs_read", true},
		{"vfs_rea?", "vfs_read", true},
		{"vfs_[a-r]ead", "vfs_read", true},
		{"vfs_[!a-r]ead", "vfs_read", false},
		{"vfs_[^a-r]ead", "vfs_read", false},
		{"[!a]fs_[^a]*", "vfs_read", true},
		{"vfs", "vfs_read", false},
	} {
		match, err := Glob(tt.pattern)
		if err != nil {
			t.Errorf("Glob(%q): %v", tt.pattern, err)
		} else if got := match(tt.name); got != tt.want {
			t.Errorf("Glob(%q) of %q is %t, want %t", tt.pattern, tt.name, got, tt.want)
		}
	}
	for _, bad := range []string{"[", "a[^", "[!]"} {
		if _, err := Glob(bad); err == nil {
			t.Errorf("Glob(%q): no error", bad)
		}
	}
}

// FuzzGlob compares a compiled pattern with path.Match.
func FuzzGlob(f *testing.F) {
	for _, pattern := range []string{"vfs_*", "*a*b?c", "[a-c]*[^x-z]", "**", "a[]x]", "[^]a]", "[a-]", "[-a]", "*_*_[0-9]"} {
		f.Add(pattern, "vfs_read_a0")
		f.Add(pattern, "abxc")
	}
	badinput.Fuzz(f, func(t *testing.T, pattern, name string) {
		for _, c := range []byte(pattern + name) {
			if c >= 0x80 || c == '/' || c == '\\' {
				return // these are not bytes of a function's name
			}
		}
		match, err := Glob(pattern)
		want, bad := path.Match(strings.ReplaceAll(pattern, "[!", "[^"), name)
		if (err != nil) != (bad != nil) {
			t.Fatalf("Glob(%q): %v, path.Match: %v", pattern, err, bad)
		}
		if err == nil && match(name) != want {
			t.Errorf("Glob(%q) of %q is %t, path.Match %t", pattern, name, !want, want)
		}
	})
}

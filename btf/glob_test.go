package btf

import "testing"

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

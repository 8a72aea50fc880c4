package main

import (
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
)

func TestDiscreet(t *testing.T) {
	t.Setenv("HOME", "/home/jane")
	t.Setenv("USER", "jane.doe")
	t.Setenv("SUDO_USER", "j+(d")
	names := private(&flags.Options{Tracefs: "mine", BTF: []string{"../Secret one.btf"}})
	for _, c := range []struct{ note, want string }{
		{"6.1.0-13-amd64 x86_64", "6.1.0-13-amd64 x86_64"},
		{"6.1.0-Jane-laptop x86_64", "6.1.0-(name)-laptop x86_64"},
		{"6.1.0-jane.doe.j+(d", "6.1.0-(name).(name)"},
		{"no tracefs at mine", "no tracefs at (name)"},
		{"open ../Secret one.btf: no such file", "open (name): no such file"},
		{"no tracefs at /home/jane/a b", "(left out, for it has a path)"},
		{"dir=/x/y", "(left out, for it has a path)"},
		{"a/b is empty", "(left out, for it has a path)"},
		{"open /sys/kernel/btf/vmlinux: no such file", "open /sys/kernel/btf/vmlinux: no such file"},
		{"/sys/kernel/btf/vmlinux.d", "(left out, for it has a path)"},
		{"/proc/kcorelike/x", "(left out, for it has a path)"},
		{"at 0xffffffff81000000 and ffffffff81000000", "at (address) and (address)"},
	} {
		if got := discreet(c.note, names); got != c.want {
			t.Errorf("%s: %q, want %q", c.note, got, c.want)
		}
	}
	if names := private(&flags.Options{}); strings.Contains(strings.Join(names, ","), "root") {
		t.Errorf("%q", names)
	}
}

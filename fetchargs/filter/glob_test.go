package filter

import (
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/testdata/badinput"
)

func TestKernelGlob(t *testing.T) {
	for _, tt := range []struct{ glob, plain, exact string }{
		{"eth*", "eth*", "eth*"},
		{"1*", "[1]*", "[1]*"},
		{"!x", `\!x`, `\!x`},
		{`\!x`, `\!x`, `\!x`},
		{`a\b\*c\`, `ab\*c\\`, `ab\*c\\`},
		{"a**b", "a*b", "a*b"},
		{"[a", `\[a`, `\[a`},
		{"[^a]", "[!a]", "[]\x01-,.-\\b-\xff^-`-]"},
		{"[!]a-c]x", "[!]a-c]x", "[\x01-,.-\\d-\xff^-`-]x"},
		{"[a^!]?", "[a^!]?", "[a^!]?"},
	} {
		if got := Glob(tt.glob, true); got != tt.plain {
			t.Errorf("kernelGlob(%q) = %q, want %q", tt.glob, got, tt.plain)
		}
		if got := Glob(tt.glob, false); got != tt.exact {
			t.Errorf("kernelGlob(%q) = %q, want %q", tt.glob, got, tt.exact)
		}
	}
}

// What is written for the kernel must match the same with its own matcher, of
// which globMatch has all but [^a].
func FuzzKernelGlob(f *testing.F) {
	f.Add("[^a]*", "b")
	f.Add("[!]-a]?", "-x")
	f.Add("[^!-,]", "^")
	badinput.Fuzz(f, func(t *testing.T, glob, name string) {
		if TurnedRange(glob) != "" || strings.ContainsAny(glob+name, "\x00") {
			return // no such glob is used, no such text is in a record
		}
		want := Match(glob, name)
		for _, plain := range []bool{true, false} {
			if text := Glob(glob, plain); Match(text, name) != want {
				t.Errorf("%q is %q for the kernel; of %q that matches %t, want %t", glob, text, name, !want, want)
			}
		}
	})
}

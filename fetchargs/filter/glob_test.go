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

// TestMatch matches texts and beginnings of texts with globs.
func TestMatch(t *testing.T) {
	for _, c := range []struct {
		glob, text     string
		match, begins  bool
		starsInside    bool
		turned, quoted string
	}{
		{"", "", true, false, false, "", `""`},
		{"", "a", false, false, false, "", `""`},
		{"ab", "ab", true, false, false, "", `"ab"`},
		{"ab", "a", false, true, false, "", `"ab"`},
		{"ab", "b", false, false, false, "", `"ab"`},
		{"ab", "abc", false, false, false, "", `"ab"`},
		{"a*", "a", true, true, false, "", `"a*"`},
		{"a**", "abc", true, true, false, "", `"a**"`},
		{"*b", "aab", true, true, true, "", `"*b"`},
		{"*b", "ba", false, true, true, "", `"*b"`},
		{"*ab*ab", "xabaab", true, true, true, "", `"*ab*ab"`},
		{"a*c", "abd", false, true, true, "", `"a*c"`},
		{"a*bc", "abbc", true, true, true, "", `"a*bc"`},
		{"?", "a", true, false, false, "", `"?"`},
		{"?", "", false, true, false, "", `"?"`},
		{`\*`, "*", true, false, false, "", `"\*"`},
		{`\*a`, "xa", false, false, false, "", `"\*a"`},
		{`a\`, `a\`, true, false, false, "", `"a\"`},
		{"[a-c]x", "bx", true, false, false, "", `"[a-c]x"`},
		{"[a-c]x", "dx", false, false, false, "", `"[a-c]x"`},
		{"[a-]", "-", true, false, false, "", `"[a-]"`},
		{"[!a-c]", "d", true, false, false, "", `"[!a-c]"`},
		{"[^a-c]", "c", false, false, false, "", `"[^a-c]"`},
		{"[ab", "[ab", true, false, false, "", `"[ab"`},
		{"[a-", "[a-", true, false, false, "", `"[a-"`},
		{"[]", "]", false, false, false, "", `"[]"`},
		{"x[xc-a]", "b", false, false, false, "c-a", `"x[xc-a]"`},
		{"[!c-a]", "b", true, false, false, "c-a", `"[!c-a]"`},
		{"[a-cz-y]", "z", false, false, false, "z-y", `"[a-cz-y]"`},
		{"[a-a]", "a", true, false, false, "", `"[a-a]"`},
		{"[x]c-a]", "xc-a]", true, false, false, "", `"[x]c-a]"`},
		{`\[c-a]`, "[c-a]", true, false, false, "", `"\[c-a]"`},
		{`a"b`, `a"b`, true, false, false, "", `'a"b'`},
		{`a"'b`, `a"'b`, true, false, false, "", ""},
	} {
		if got := Match(c.glob, c.text); got != c.match {
			t.Errorf("%q matches %q: %v", c.glob, c.text, got)
		}
		if got := Begins(c.glob, c.text); got != c.begins {
			t.Errorf("%q matches something longer than %q: %v", c.glob, c.text, got)
		}
		if got := StarsInside(c.glob); got != c.starsInside {
			t.Errorf("%q has a star inside: %v", c.glob, got)
		}
		if got := TurnedRange(c.glob); got != c.turned {
			t.Errorf("%q has the range %q, want %q", c.glob, got, c.turned)
		}
		if got, ok := Quoted(c.glob); got != c.quoted || ok != (got != "") {
			t.Errorf("%q in quotes is %s, %v", c.glob, got, ok)
		}
	}
}

// FuzzKernelGlob: a glob written for the kernel must match the same with the kernel's
// matcher, which globMatch is, except for [^a].
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

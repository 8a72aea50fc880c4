package spec_test

import (
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// TestFinish completes the beginning of specs, with · for the hole.
func TestFinish(t *testing.T) {
	for _, c := range []struct {
		text, head, word, typ, whole string
		function                     bool
	}{
		{"", "", "", "", "", true},
		{"ip_rc", "", "ip_rc", "", "", true},
		{"nf-nat:ip_rc", "", "nf-nat:ip_rc", "", "", true},
		{"nf-nat:", "", "nf-nat:", "", "", true},
		{"f(", "f(", "", "", "f(·)", false},
		{"m:f(", "m:f(", "", "", "m:f(·)", false},
		{"f(a->le", "f(a->", "le", "", "f(a->·)", false},
		{"f(a->(le", "f(a->(", "le", "", "f(a->(·))", false},
		{"f(a[1].le", "f(a[1].", "le", "", "f(a[1].·)", false},
		{"f(a[", "f(a[", "", "", "f(a[·])", false},
		{"f(a) ", "f(a) ", "", "", "f(a) ·", false},
		{"f(a) if (b == 1 && $co", "f(a) if (b == 1 && ", "$co", "", "f(a) if (b == 1 && ·)", false},
		{"f(%d", "f(", "%d", "", "f(·)", false},
		{"f(@", "f(", "@", "", "f(·)", false},
		{"$", "", "$", "", "", true},
		{"f((struct so", "f((struct ", "so", "struct", "f((struct ·))", false},
		{"f((union ", "f((union ", "", "union", "f((union ·))", false},
		{"f(enum e", "f(enum ", "e", "enum", "f(enum ·)", false},
		{"f(container_of(a", "f(container_of(", "a", "", "f(container_of(·,x,x))", false},
		{"f(container_of(a, struct b", "f(container_of(a, struct ", "b", "struct", "f(container_of(a, struct ·,x))", false},
		{"f(container_of(a, struct b, c", "f(container_of(a, struct b, ", "c", "", "f(container_of(a, struct b, ·))", false},
		{"f(per_cpu(a", "f(per_cpu(", "a", "", "f(per_cpu(·,0))", false},
		{"f(per_cpu(a, 1", "f(per_cpu(a, ", "1", "", "f(per_cpu(a, ·))", false},
		{`f(s == "x" && a`, `f(s == "x" && `, "a", "", `f(s == "x" && ·)`, false},
		{`f(s == "" && a`, `f(s == "" && `, "a", "", `f(s == "" && ·)`, false},
		{"f(a) | g", "f(a) | ", "g", "", "", true},
		{"f(a)|g(b", "f(a)|g(", "b", "", "g(·)", false},
		{"f(a->(b|c", "f(a->(b|", "c", "", "f(a->(b|·))", false},
		{"f(a->(b|c)) |", "f(a->(b|c)) |", "", "", "", true},
	} {
		u, ok := spec.Finish(c.text)
		u.Other = ""
		want := spec.Unfinished{Head: c.head, Word: c.word, Func: c.function, Type: c.typ, Whole: strings.Replace(c.whole, "·", spec.Hole, 1)}
		if !ok || u != want {
			t.Errorf("Finish(%q) = %+v, %t, want %+v", c.text, u, ok, want)
		}
	}
	for text, want := range map[string]string{
		"f(since(a, t": "t", "f(x, who(a, b, m:g": "m:g", "f(since(a,m:": "m:", "f(a)|g(since(a->b[1], t": "t", "f(since(a) > 1ms && since(b, t": "t",
		"f(since(t": "", "f(a, t": "", "f(since(a, b == t": "", "f(since(a, b->t": "", "f(since(a, g(t": "", "f(since(a, g(b), h(t": "", "f(since(a, ": "", "f(since(a, (t": "", "f(since(a, b), t": "", "f(sizeof(a, t": "",
	} {
		if u, ok := spec.Finish(text); !ok || u.Other != want {
			t.Errorf("Finish(%q): %t, the other function is %q, want %q", text, ok, u.Other, want)
		}
	}
	for _, text := range []string{`f(s == "`, `f(s == "x`, `f(s == 'x"`, `g | f(s == "`} {
		if u, ok := spec.Finish(text); ok {
			t.Errorf("Finish(%q) = %+v, want nothing in a string", text, u)
		}
	}
}

package spec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// TestInspect: in whatever expression or condition a variable is named, Inspect finds it.
func TestInspect(t *testing.T) {
	for _, text := range []string{
		"f(@v)", "f(@v.m)", "f(@v->m.n)", "f(@v[1])", "f(@v[1..2])", "f(*@v)", "f(&@v)", "f((struct s *)@v)", "f(container_of(@v, struct s, m))",
		"f(@v->(a|b))", "f(n=@v:u32)", "f(sizeof(@v))", "f(@v > 1)", "f(a == @v)", "f(!(@v > 1))", "f(a) if b && @v == 2", "f(a) if @v == 2 || b",
		"f(since(@v))", "f(since(a, @v == 1))", "f(since(a, b == 1, @v == 1))", "f(int @v)",
	} {
		s, err := spec.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var found []string
		s.Inspect(func(x spec.Expr) {
			if v, ok := x.(*spec.Symbol); ok {
				found = append(found, v.Text)
			}
		})
		if !slices.Equal(found, []string{"v"}) {
			t.Errorf("%s: found %s, want v", text, strings.Join(found, ", "))
		}
	}
}

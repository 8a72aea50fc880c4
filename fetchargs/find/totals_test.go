package find

import (
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// TestTotals adds specs until there are too many.
func TestTotals(t *testing.T) {
	glob, name := &spec.Spec{Func: spec.Name{Text: "a*"}}, &spec.Spec{Func: spec.Name{Text: "a"}}
	for _, tt := range []struct {
		what string
		s    *spec.Spec
		most int
	}{{"globs", glob, maxGlobs}, {"alternatives", &spec.Spec{Func: name.Func, Nth: 1}, maxAlternatives}} {
		var n totals
		for i := range tt.most {
			if err := n.addSpec(tt.s); err != nil {
				t.Fatalf("%d %s: %v", i+1, tt.what, err)
			}
		}
		if n.addSpec(tt.s) == nil || n.addSpec(name) == nil {
			t.Errorf("a few %s more than %d are not too many", tt.what, tt.most)
		}
	}
	var names totals
	for range maxAlternatives + 1 {
		if err := names.addSpec(name); err != nil {
			t.Fatal(err)
		}
	}
	// All globs but the largest may match so many functions.
	var n totals
	for i, found := range []int{90000, maxFunctions - 10, 10, 1} {
		if err := n.addFound(glob, found); (err != nil) != (i == 3) {
			t.Errorf("%d functions of the glob %d: %v", found, i, err)
		}
	}
	if n.addFound(name, 100000) != nil {
		t.Error("a name is not a glob")
	}
}

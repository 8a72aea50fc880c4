package value

import (
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

// TestUsages requires that the macros of the table exist, and that no parameter decides
// about itself.
func TestUsages(t *testing.T) {
	amd64, arm64 := constants.For("amd64"), constants.For("arm64")
	for name, u := range usages {
		_, param, _ := strings.Cut(name, ".")
		if u.By == "" || u.By == param || u.Only != "" && u.But != "" {
			t.Errorf("%s: %+v is not a rule", name, u)
		}
		macros, _ := u.All()
		if u.Mask != "" && u.Mask != AllBits {
			macros = append(macros, u.Mask)
		}
		for _, macro := range macros {
			_, a := amd64.Value(macro)
			_, b := arm64.Value(macro)
			if !a && !b {
				t.Errorf("%s: there is no macro %s", name, macro)
			}
		}
	}
}
